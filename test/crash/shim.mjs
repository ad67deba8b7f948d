// Loaded before the dispatcher (`node --import`): numbers its file operations below CRASH_ROOT, and its starts of a
// wrapper, and does at one of them what CRASH_MODE says.
//
//   count                      writes the operations' names to CRASH_REPORT when the process ends
//   kill-before, kill-after    SIGKILL at operation CRASH_AT
//   errno                      CRASH_ERRNO at operation CRASH_AT; with CRASH_PERSIST at every one from there on
//   cut-before, cut-after      the power goes at operation CRASH_AT: what was not fsynced is undone (with CRASH_SEED by
//                              chance, or the markers first), every process of the rig dies
//   freeze                     SIGKILL after operation CRASH_AT, a wrapper's start; the wrapper has its word and stops before it begins
//
//   kill-wrapper               SIGKILL for the wrapper that operation CRASH_AT starts
//
// CRASH_BOOT is what the machine says its boot id is.
import childProcess from 'node:child_process';
import fs from 'node:fs';
import fsPromises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { coin, durableModel, markersFirst } from './durable.mjs';

const { CRASH_ROOT: root, CRASH_MODE: mode, CRASH_REPORT: report, CRASH_SEED: seed, CRASH_BOOT: boot, HOME: home } = process.env;
const at = Number(process.env.CRASH_AT ?? 0);
const real = { ...fs, promises: { ...fsPromises }, spawn: childProcess.spawn };
const model = mode?.startsWith('cut') ? durableModel(real, root) : null;
const names = [];
const paths = new Map();

const within = (path) => typeof path === 'string' && (path === root || path.startsWith(`${root}/`));

/** Counts an operation and does what is due before it; returns what is due after it. */
function operation(name, path, syscall) {
	const n = names.push(`${name} ${path.slice(root.length + 1)}`);
	const due = n === at;
	if (mode === 'errno' && syscall !== 'order' && (due || (process.env.CRASH_PERSIST && n > at))) throw refusal(syscall ?? name, path);
	if (due && mode === 'kill-before') die();
	if (due && mode === 'cut-before') powerCut();
	return () => {
		if (due && mode === 'kill-after') die();
		if (due && mode === 'cut-after') powerCut();
	};
}

const refusal = (syscall, path) => {
	if (report) real.writeFileSync(report, names.at(-1));
	const code = process.env.CRASH_ERRNO;
	return Object.assign(new Error(`${code}: injected, ${syscall} '${path}'`), { code, errno: -1, syscall, path });
};

function die(hit = names.at(-1)) {
	if (report) real.writeFileSync(report, hit);
	process.kill(process.pid, 'SIGKILL');
}

function powerCut() {
	const hit = names.at(-1);
	for (let left = [0]; left.length > 0; ) {
		left = others();
		for (const pid of left) kill(pid);
	}
	model.cut(seed === 'markers first' ? markersFirst : seed ? coin(seed) : () => false);
	die(hit);
}

const kill = (pid) => {
	try {
		process.kill(pid, 'SIGKILL');
	} catch {
		// Gone already.
	}
};

/** All other processes of the rig that still live. */
const others = () =>
	real
		.readdirSync('/proc')
		.filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
		.filter((pid) => {
			try {
				const state = real.readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/^.*\) /s, '')[0];
				return state !== 'Z' && state !== 'X' && real.readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`HOME=${home}\0`);
			} catch {
				return false;
			}
		})
		.map(Number);

const writing = (flags) =>
	typeof flags === 'string'
		? /[wa+]/.test(flags)
		: ((flags ?? 0) & (fs.constants.O_WRONLY | fs.constants.O_RDWR | fs.constants.O_CREAT)) !== 0;

fs.openSync = (path, flags, permissions) => {
	if (!within(path)) return real.openSync(path, flags, permissions);
	const after = writing(flags) ? operation('open', path) : () => {};
	const fd = real.openSync(path, flags, permissions);
	paths.set(fd, path);
	after();
	return fd;
};
fs.closeSync = (fd) => {
	paths.delete(fd);
	return real.closeSync(fd);
};
fs.close = (fd, done) => {
	paths.delete(fd);
	return real.close(fd, done);
};
fs.writeSync = (fd, ...rest) => {
	const path = paths.get(fd);
	const after = path === undefined ? () => {} : operation('write', path);
	const wrote = real.writeSync(fd, ...rest);
	after();
	return wrote;
};
for (const [name, subject] of [
	['mkdirSync', 0],
	['renameSync', 1],
	['linkSync', 1],
	['unlinkSync', 0],
	['rmSync', 0],
	['rmdirSync', 0],
	['writeFileSync', 0],
	['appendFileSync', 0],
	['copyFileSync', 1],
	['symlinkSync', 1],
	['truncateSync', 0],
	['ftruncateSync', 0],
]) {
	fs[name] = (...args) => {
		const path = typeof args[subject] === 'number' ? paths.get(args[subject]) : args[subject];
		const after = within(path) ? operation(name.replace('Sync', ''), path) : () => {};
		const result = real[name](...args);
		after();
		return result;
	};
}

fs.rmdir = (path, done) => {
	if (!within(path)) return real.rmdir(path, done);
	let after;
	try {
		after = operation('rmdir', path);
	} catch (error) {
		return process.nextTick(done, error);
	}
	return real.rmdir(path, (error) => {
		after();
		done(error);
	});
};

/** An fsync makes durable what was there when it began, once it has succeeded. */
fs.fsync = (fd, done) => {
	const path = paths.get(fd);
	if (path === undefined) return real.fsync(fd, done);
	let after;
	try {
		after = operation('fsync', path);
	} catch (error) {
		return process.nextTick(done, error);
	}
	const succeeded = model?.syncing(path);
	return real.fsync(fd, (error) => {
		if (!error) succeeded?.();
		after();
		done(error);
	});
};

fsPromises.open = async (path, flags, ...rest) => {
	if (!within(path) || !writing(flags)) return real.promises.open(path, flags, ...rest);
	const after = operation('open', path);
	const handle = await real.promises.open(path, flags, ...rest);
	after();
	const sync = handle.sync.bind(handle);
	handle.sync = async () => {
		const synced = operation('fsync', path);
		const succeeded = model?.syncing(path);
		await sync();
		succeeded?.();
		synced();
	};
	return handle;
};
for (const [name, subject] of [
	['rename', 1],
	['rm', 0],
	['mkdir', 0],
	['copyFile', 1],
	['writeFile', 0],
	['unlink', 0],
	['link', 1],
]) {
	fsPromises[name] = async (...args) => {
		const after = within(args[subject]) ? operation(name, args[subject]) : () => {};
		const result = await real.promises[name](...args);
		after();
		return result;
	};
}

/** A wrapper's start: the moment from which money may be spent. */
childProcess.spawn = (...args) => {
	const isWrapper = args[0] === '/bin/sh' && String(args[1]?.[2]).startsWith('dispatch-');
	const after = isWrapper ? operation('spawn', `${root}/wrapper`) : () => {};
	if (isWrapper && mode === 'freeze' && names.length === at) {
		const frozen = real.spawn('/bin/sh', ['-c', 'kill -STOP $$; exec /bin/sh "$@"', 'frozen', ...args[1]], args[2]);
		frozen.stdio[4].write(`go ${args[1][2]}\n`);
		die();
	}
	const child = real.spawn(...args);
	if (isWrapper && mode === 'kill-wrapper' && names.length === at) child.kill('SIGKILL');
	after();
	if (args[0] === '/bin/sh' && args[1]?.[0] === '-s') countOrders(child.stdin);
	return child;
};

/** The same by an order to the small shell that starts wrappers for the dispatcher. */
function countOrders(orders) {
	const write = orders.write.bind(orders);
	orders.write = (text, ...rest) => {
		const after = String(text).includes('setsid') ? operation('spawn', `${root}/wrapper`, 'order') : () => {};
		const taken = write(text, ...rest);
		after();
		return taken;
	};
}

fs.readFileSync = (path, ...rest) => (path === '/proc/sys/kernel/random/boot_id' && boot ? `${boot}\n` : real.readFileSync(path, ...rest));

syncBuiltinESMExports();

if (mode === 'count') process.on('exit', () => real.writeFileSync(report, names.join('\n')));
