import { conformance } from './conformance.ts';

conformance('copilot');
