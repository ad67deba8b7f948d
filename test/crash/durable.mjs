// What a disk would still hold after the power went: contents as of each file's last fsync, names as of each directory's.
import { createHash } from 'node:crypto';

/** `fs` is node's own, before the shim replaced it. Everything below `root` that exists now is taken for durable. */
export function durableModel(fs, root) {
	/** Identity of a file → its durable bytes. A number alone is not one: it is given to the next file. */
	const contents = new Map();
	/** Identity of a directory → name → identity of what durably stands there. */
	const listings = new Map();
	const identity = (path) => {
		const stat = fs.lstatSync(path, { bigint: true });
		return { id: `${stat.ino}:${stat.birthtimeNs}`, dir: stat.isDirectory(), file: stat.isFile() };
	};
	const listing = (dir) =>
		new Map(
			fs.readdirSync(dir).flatMap((name) => {
				try {
					return [[name, identity(`${dir}/${name}`)]];
				} catch {
					return [];
				}
			}),
		);
	const takeIn = (path) => {
		const { id, dir, file } = identity(path);
		if (file) contents.set(id, fs.readFileSync(path));
		if (!dir) return;
		listings.set(id, listing(path));
		for (const name of fs.readdirSync(path)) takeIn(`${path}/${name}`);
	};
	if (fs.existsSync(root)) takeIn(root);

	/** Looked at when an fsync begins; the function it returns is called when it succeeded. Of two at once the one that began later says more. */
	let begun = 0;
	const latest = new Map();
	const syncing = (path) => {
		const n = ++begun;
		const { id, dir } = identity(path);
		const now = dir ? listing(path) : fs.readFileSync(path);
		return () => {
			if ((latest.get(id) ?? 0) > n) return;
			latest.set(id, n);
			(dir ? listings : contents).set(id, now);
		};
	};

	/**
	 * Makes the disk look as after a power cut. `keeps(what)` says whether an effect that nobody asked to be durable
	 * happens to be: never (the strictest disk), or by chance.
	 */
	const cut = (keeps) => {
		const inodes = new Map();
		const remember = (path) => {
			const { id, dir, file } = identity(path);
			if (file && !inodes.has(id)) inodes.set(id, fs.readFileSync(path));
			if (dir) for (const name of fs.readdirSync(path)) remember(`${path}/${name}`);
		};
		remember(root);
		const after = new Map();
		const bytesOf = (id, name) => {
			const keepsBytes = (what) => keeps(`${what} ${name}`);
			if (!after.has(id)) after.set(id, survived(contents.get(id) ?? Buffer.alloc(0), inodes.get(id), keepsBytes));
			return after.get(id);
		};
		const treeOf = (path, id, depth = 0) => {
			const now = path !== null && fs.existsSync(path) ? listing(path) : new Map();
			const then = listings.get(id) ?? new Map();
			const names = new Map();
			for (const name of new Set([...now.keys(), ...then.keys()])) {
				const [old, current] = [then.get(name), now.get(name)];
				const one = old?.id === current?.id || keeps(`name ${name}`) ? current : old;
				if (one === undefined) continue;
				const below = current?.id === one.id ? `${path}/${name}` : null;
				names.set(name, one.dir ? { dir: treeOf(below, one.id, depth + 1) } : { file: one.id });
			}
			return names;
		};
		const tree = treeOf(root, identity(root).id);
		const links = new Map();
		const build = (path, names) => {
			fs.mkdirSync(path, { recursive: true });
			for (const [name, what] of names) {
				const at = `${path}/${name}`;
				if (what.dir) build(at, what.dir);
				else if (links.has(what.file)) fs.linkSync(links.get(what.file), at);
				else {
					fs.writeFileSync(at, bytesOf(what.file, name), { mode: 0o600 });
					links.set(what.file, at);
				}
			}
		};
		fs.renameSync(root, `${root}.before-the-cut`);
		build(root, tree);
		fs.rmSync(`${root}.before-the-cut`, { recursive: true, force: true });
	};
	return { syncing, cut };
}

/** Of bytes that were appended and never synced any prefix may have reached the disk; of rewritten ones all or nothing. */
function survived(durable, written, keeps) {
	if (written === undefined || written.equals(durable) || !keeps('bytes')) return durable;
	if (!written.subarray(0, durable.length).equals(durable)) return written;
	const share = keeps('all bytes') ? 1 : 0.5;
	return written.subarray(0, durable.length + Math.floor((written.length - durable.length) * share));
}

/** A disk that writes done markers at once and everything else when it is told. */
export const markersFirst = (what) => what.endsWith('.done');

/** A coin that falls the same way for the same seed and question. */
export function coin(seed) {
	let n = 0;
	return (what) => (createHash('sha256').update(`${seed} ${n++} ${what}`).digest()[0] & 1) === 1;
}
