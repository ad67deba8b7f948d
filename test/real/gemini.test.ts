import { conformance } from './conformance.ts';

conformance('gemini');
