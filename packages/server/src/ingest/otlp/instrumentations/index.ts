export { COLUMNS, type Column } from './columns.ts'
export { drawTree, judgeRuns, type SeenRun, type Verdicts } from './judge.ts'
export { type Cell, columnsOf, INSTRUMENTATIONS, type Instrumentation, toExpected } from './table.ts'
