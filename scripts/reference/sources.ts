/** What the reference pages are made from. */

export * as dispatchFile from '../../src/contract/dispatch-file.ts';
export * as manifest from '../../src/contract/manifest.ts';
export * as pipelineFile from '../../src/contract/pipeline-file.ts';
export * as role from '../../src/contract/role.ts';
export * as servantFile from '../../src/contract/servant-file.ts';
export * as servants from '../../src/servant/servants.ts';
export * as cli from './cli.ts';
