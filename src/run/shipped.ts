import { join } from 'node:path';
import { loadLayer } from '../config/load-layer.ts';
import type { ConfigLayer } from '../contract/config.ts';
import type { PackedTemplates } from '../prompt/template-files.ts';
import { packTemplates } from '../prompt/templates.ts';

export interface Shipped {
	readonly defaults: ConfigLayer;
	readonly templates: PackedTemplates;
}

/**
 * The package's own configuration and templates. The build replaces this module by what it returns, so that an installed
 * dispatcher starts without reading them.
 */
export function shipped(packageDir: string): Shipped {
	const { layer, complaints } = loadLayer(join(packageDir, 'configs'), (file) => `configs/${file}`);
	const templates = packTemplates(join(packageDir, 'templates'));
	const wrong = [...complaints.filter((complaint) => complaint.level === 'error'), ...(templates.ok ? [] : templates.failures)];
	if (!templates.ok || wrong.length > 0)
		throw new Error(`the package is damaged: ${wrong.map((one) => `${one.file}: ${one.message}`).join('; ')}`);
	return { defaults: layer, templates: templates.value };
}
