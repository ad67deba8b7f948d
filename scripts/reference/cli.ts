export { commandList } from '../../src/cli/commands.ts';
export { commandHelp } from '../../src/cli/help.ts';
