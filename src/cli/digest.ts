import { ExitCode } from '../contract/exit-code.ts';
import { packetNames } from '../packet/names.ts';
import { readText } from '../packet/read.ts';
import { digestContextPack } from '../prompt/digest.ts';
import { type Command, flag, jsonOption, text, UsageError } from './command.ts';
import { printJson } from './print-json.ts';
import { packetOf } from './project-of.ts';
import { keepingTabs, redactorOf } from './shown-text.ts';
import { writeOut } from './write-out.ts';

export const command: Command = {
	name: 'digest',
	summary: "Prints the digest of a packet's context pack: what a prompt holds of it when it is long.",
	usage: '<id> [--out FILE]',
	options: { ...jsonOption, out: { type: 'string', short: 'o', value: 'FILE', help: 'write it there, byte for byte' } },
	positionals: { min: 1, max: 1 },
	examples: ['dispatch digest fix-login'],
	run: async (call) => {
		const id = packetOf(call, call.args[0]!);
		const names = packetNames(call.root, id);
		const pack = readText(names.contextPack);
		if (pack === null) throw new UsageError(`${id} has no inputs/context_pack.md`);
		const digest = digestContextPack(redactorOf(names)(pack));
		const out = text(call, 'out');
		if (out !== undefined) writeOut(call, out, digest);
		if (flag(call, 'json'))
			printJson(call, { task_id: id, bytes: Buffer.byteLength(pack), digest_bytes: Buffer.byteLength(digest), digest });
		else if (out === undefined) call.out(keepingTabs(digest));
		return ExitCode.completed;
	},
};
