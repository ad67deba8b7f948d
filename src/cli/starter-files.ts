import { schemaLine } from '../contract/schema-line.ts';

/** `configs/dispatch.yaml` of a new project: nothing is set, what is often changed is at hand. */
export const starterConfig = `${schemaLine('dispatch')}
#
# What this project says about dispatch. All of it is optional: the package's defaults count where nothing is said.
# \`dispatch config\` shows every value and its source, \`dispatch validate\` checks all files.
#
# Beside this file there may be servant/<tool>.yaml (one per agent CLI) and pipeline/<group>.yaml (profiles); both merge
# over the package's. Their first lines, for editors:
#   ${schemaLine('servant')}
#   ${schemaLine('pipeline')}

# The servant of stages that nothing else routes.
# provider: claude

# The servant per task type: task, explore, plan, implement, review, improve.
# task_providers:
#   implement: claude
#   review: codex

# Per tool, the same keys as its servant file.
# providers:
#   codex:
#     model: gpt-5.5
#     fallback: [claude]

# Commands a model may propose for verification, beyond those in a manifest: whole commands or regular expressions.
# verify:
#   allow_commands: ['npm test', 'npm run (lint|build)']

# Commands run in a new worktree before anything else.
# worktree_setup: [npm ci]
`;
