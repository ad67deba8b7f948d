import { parseArgs } from 'node:util';
import { findRoot } from '../config/find-root.ts';
import { ExitCode } from '../contract/exit-code.ts';
import { suggest } from '../contract/suggest.ts';
import { DiskTrouble, diskTroubleIn } from '../packet/disk.ts';
import { visible } from '../report/visible.ts';
import { type Call, type Command, parseConfig, UsageError, usageLine, withNumbers, withOptionalValues } from './command.ts';
import { commandList, loadCommand } from './commands.ts';
import { flagFault } from './flag-fault.ts';
import { commandHelp, overview } from './help.ts';
import { isOutputLost, write } from './stdio.ts';

export { isAllWritten } from './stdio.ts';

/** Finds the command, reads its flags, runs it. The one place that catches what nobody foresaw. */
export async function main(argv: readonly string[], version: string): Promise<number> {
	try {
		const exitCode = await dispatchTo(argv, version);
		return exitCode === ExitCode.completed && isOutputLost() && !tellsOfRuns(argv) ? ExitCode.failed : exitCode;
	} catch (error) {
		if (error instanceof UsageError) return complainOfUsage(error.message);
		const trouble = diskTroubleIn(error);
		if (trouble !== null) {
			write('stderr', `dispatch: ${visible(trouble.message)}\n`);
			return ExitCode.needsHuman;
		}
		if (error instanceof DiskTrouble) return complainOfDisk(error.message);
		write(
			'stderr',
			`dispatch: internal error, please report it with the text below and the output of dispatch --version (${version})\n${error instanceof Error ? visible(error.stack ?? error.message) : visible(String(error))}\n`,
		);
		return ExitCode.bug;
	}
}

/** Their exit code is about packets, whether or not somebody could read what they said. */
const tellsOfRuns = (argv: readonly string[]): boolean =>
	['run', 'retry', 'resume', 'review', 'work', 'watch', 'wait'].includes(commandIn(argv).name ?? '');

async function dispatchTo(argv: readonly string[], version: string): Promise<number> {
	const { name, rest } = commandIn(argv);
	if (name === null && ['-C', '--root'].includes(argv.at(-1) ?? '')) throw new UsageError(`${argv.at(-1)} takes a directory`);
	if (name === null || name === 'help' || name === '--help' || name === '-h') return showHelp(commandIn(rest).name);
	const command = await commandCalled(name);
	const { values, positionals } = parsed(command, rest);
	if (values.help === true) {
		write('stdout', commandHelp(command));
		return ExitCode.completed;
	}
	const { min, max } = command.positionals;
	if (positionals.length < min || positionals.length > max) throw new UsageError(`usage: ${usageLine(command)}`);
	const root = findRoot(process.cwd(), typeof values.root === 'string' ? values.root : undefined);
	if (!root.ok) throw new UsageError(root.failures[0]);
	const call: Call = {
		args: positionals,
		values,
		root: root.value,
		cwd: process.cwd(),
		version,
		env: process.env,
		out: (text) => write('stdout', text),
		err: (text) => write('stderr', text),
	};
	return command.run(call);
}

/** `dispatch -C dir run x` and `dispatch run x -C dir` are the same. */
function commandIn(argv: readonly string[]): { name: string | null; rest: string[] } {
	const at = argv.findIndex(
		(word, n) =>
			!(word.startsWith('-C') || word === '--root' || argv[n - 1] === '-C' || argv[n - 1] === '--root' || word.startsWith('--root=')),
	);
	return at === -1 ? { name: null, rest: [] } : { name: argv[at]!, rest: [...argv.slice(0, at), ...argv.slice(at + 1)] };
}

function parsed(
	command: Command,
	rest: readonly string[],
): { values: Record<string, string | boolean | (string | boolean)[] | undefined>; positionals: string[] } {
	try {
		const { values, positionals } = parseArgs({ ...parseConfig(command), args: withOptionalValues(command, withNumbers(command, rest)) });
		return { values: { ...values }, positionals };
	} catch (error) {
		throw new UsageError(flagFault(error, command));
	}
}

async function commandCalled(name: string): Promise<Command> {
	const command = await loadCommand(name);
	if (command !== null) return command;
	const near = suggest(
		name,
		commandList.map((entry) => entry.name),
	);
	throw new UsageError(`there is no command "${visible(name)}"${near === null ? '' : `; did you mean "${near}"?`}`);
}

async function showHelp(name: string | null): Promise<number> {
	const command = name === null || name.startsWith('-') ? null : await commandCalled(name);
	write('stdout', command === null ? overview() : commandHelp(command));
	return ExitCode.completed;
}

function complainOfUsage(message: string): number {
	write('stderr', `dispatch: ${visible(message)}\n`);
	return ExitCode.usage;
}

function complainOfDisk(message: string): number {
	write('stderr', `dispatch: ${visible(message)}\n`);
	return ExitCode.needsHuman;
}
