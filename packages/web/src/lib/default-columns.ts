/** Columns of a list of runs while nobody has chosen others. */
export const DEFAULT_COLUMNS = ['name', 'input', 'output', 'start', 'latency', 'ttft', 'tokens', 'cost'] as const
