import type { LoadedManifest } from '../config/load-manifest.ts';
import type { Complaint } from '../contract/complaint.ts';
import type { Config } from '../contract/config.ts';
import type { TaskType } from '../contract/words.ts';

/** What several manifests of a task type say by hand is better said once. */
export function suggestRouting(manifests: readonly LoadedManifest[], { merged }: Config): Complaint[] {
	const byHand = new Map<string, { type: TaskType; provider: string; packets: LoadedManifest[] }>();
	for (const loaded of manifests) {
		const { task_type: type, provider } = loaded.manifest;
		if (!type || !provider || merged.dispatch.task_providers?.[type] === provider) continue;
		const found = byHand.get(`${type} ${provider}`) ?? { type, provider, packets: [] };
		found.packets.push(loaded);
		byHand.set(`${type} ${provider}`, found);
	}
	return [...byHand.values()]
		.filter(({ packets }) => packets.length > 1)
		.map(({ type, provider, packets }) => {
			const ids = packets.map(({ manifest }) => manifest.task_id);
			const named = `${ids.slice(0, 3).join(', ')}${ids.length > 3 ? ', …' : ''}`;
			const message = `${ids.length} ${type} packets set provider: ${provider} by hand (${named}); say it once in configs/dispatch.yaml: task_providers: { ${type}: ${provider} }`;
			return packets[0]!.complain(['provider'], message, { level: 'warning' });
		});
}
