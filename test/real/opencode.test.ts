import { conformance } from './conformance.ts';

conformance('opencode');
