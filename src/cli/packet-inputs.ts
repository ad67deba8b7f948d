import { basename, extname, resolve } from 'node:path';
import { readBytes } from '../packet/read.ts';
import { changeSoFar } from '../queue/change-so-far.ts';
import type { PacketFiles } from '../queue/new-packet.ts';
import { type Call, text, texts, UsageError } from './command.ts';

const mostBytes = 64 * 1024 * 1024;

/** The inputs of a new packet, by their place in it: the request, the context pack, the diff and the attachments. */
export async function packetInputs(call: Call, request: string | null): Promise<PacketFiles> {
	const files: Record<string, string | Uint8Array> = {};
	if (request !== null) files['inputs/user_request.md'] = request;
	const context = text(call, 'context');
	if (context !== undefined) files['inputs/context_pack.md'] = given(call, context);
	const base = text(call, 'diff');
	if (base !== undefined) {
		const diff = await changeSoFar(call.root, base === '' ? null : base);
		if (!diff.ok) throw new UsageError(`--diff: ${diff.failures[0]}`);
		files['inputs/attachments/git.diff'] = diff.value;
	}
	for (const file of texts(call, 'attach')) files[freeName(files, basename(file))] = given(call, file);
	return files;
}

function given(call: Call, file: string): Uint8Array {
	const bytes = readBytes(resolve(call.cwd, file), mostBytes);
	if (bytes === null) throw new UsageError(`${file} cannot be read, or is no file of at most 64 MiB`);
	return bytes;
}

/** Two files may have the same name in different directories. */
function freeName(files: Readonly<Record<string, unknown>>, name: string): string {
	const end = extname(name);
	for (let n = 1; ; n++) {
		const path = `inputs/attachments/${n === 1 ? name : `${basename(name, end)}-${n}${end}`}`;
		if (!Object.hasOwn(files, path)) return path;
	}
}
