import { z } from 'zod';
import { DispatchFile } from './dispatch-file.ts';
import { Manifest } from './manifest.ts';
import { PipelineFile } from './pipeline-file.ts';
import { ServantFile } from './servant-file.ts';

/** What editors check and complete the files with: `schemas/<name>.schema.json`. */
export function jsonSchemas(): Readonly<Record<SchemaName, object>> {
	return {
		manifest: schemaOf(Manifest, 'manifest.yaml of a packet'),
		servant: schemaOf(ServantFile, 'configs/servant/<tool>.yaml'),
		pipeline: schemaOf(PipelineFile, 'configs/pipeline/<group>.yaml'),
		dispatch: schemaOf(DispatchFile, 'configs/dispatch.yaml'),
	};
}

export type SchemaName = 'manifest' | 'servant' | 'pipeline' | 'dispatch';

// Draft 7 is what the YAML language servers of editors understand whole.
const schemaOf = (schema: z.ZodType, title: string): object => ({ title, ...z.toJSONSchema(schema, { io: 'input', target: 'draft-7' }) });
