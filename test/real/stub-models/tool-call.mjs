const shellTool = /^(bash|shell|shell_command|exec_command|run_shell_command|local_shell)$/i;
/** The only tool of some models is one that takes a program; from it the shell is a function. */
const codeTool = /^exec$/i;

/** A call of the shell tool among those offered, or null where none is. */
export function shellCall(tools, command) {
	const tool = tools.find(({ name }) => shellTool.test(name)) ?? tools.find(({ name }) => codeTool.test(name));
	if (tool === undefined) return null;
	if (tool.freeform) {
		const program = `const r = await tools.exec_command({cmd: ${JSON.stringify(command)}}); text(r.output ?? JSON.stringify(r));`;
		return { name: tool.name, freeform: true, args: program };
	}
	return { name: tool.name, freeform: false, args: argumentsFor(tool.schema ?? {}, command) };
}

const writeTool = /^(write|write_file|create)$/i;

/** A call of the tool that writes a file, or null where none is offered. */
export function writeCall(tools, name, dir) {
	const tool = tools.find((offered) => writeTool.test(offered.name));
	if (tool === undefined) return null;
	const { properties = {}, required = [] } = tool.schema ?? {};
	const keyOf = (keys) => keys.find((key) => key in properties) ?? keys[0];
	const args = { [keyOf(['file_path', 'filePath', 'path'])]: `${dir}/${name}`, [keyOf(['content', 'file_text'])]: 'data\n' };
	for (const key of required) args[key] ??= smallest(properties[key]);
	return { name: tool.name, freeform: false, args };
}

function argumentsFor({ properties = {}, required = [] }, command) {
	const place = ['command', 'cmd', 'script', 'input'].find((key) => key in properties) ?? 'command';
	const args = { [place]: isType(properties[place], 'array') ? ['bash', '-lc', command] : command };
	for (const key of required) args[key] ??= smallest(properties[key]);
	return args;
}

/** The smallest value that a schema allows. */
export function smallest(schema = {}) {
	if (schema.enum) return schema.enum[0];
	if (isType(schema, 'boolean')) return false;
	if (isType(schema, 'number') || isType(schema, 'integer')) return schema.minimum ?? 1;
	if (isType(schema, 'array')) return [];
	if (!isType(schema, 'object')) return 'stub call';
	const keys = schema.required ?? Object.keys(schema.properties ?? {});
	return Object.fromEntries(keys.map((key) => [key, smallest(schema.properties?.[key])]));
}

const isType = (schema, type) => String(schema?.type ?? 'string').toLowerCase() === type;
