import { conformance } from './conformance.ts';

conformance('codex');
