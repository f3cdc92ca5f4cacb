/** Fields of a run that the table compares, in the order of the page. */
export const COLUMNS = [
  'messages',
  'tools',
  'toolRuns',
  'model',
  'tokens',
  'cached',
  'reasoning',
  'cost',
  'error',
  'firstToken',
  'thread',
  'user',
  'metadata',
] as const
export type Column = (typeof COLUMNS)[number]
