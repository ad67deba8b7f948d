import type { Complaint } from '../contract/complaint.ts';

/** A problem in `--json`. */
export const problemFields = ({ level, file, line, col, message }: Complaint) => ({ level, file, line, col, message });
