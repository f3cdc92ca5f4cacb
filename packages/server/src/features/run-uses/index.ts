export { danglingExamples, examplesOfDataset, runsInDatasets } from './links-to-datasets.ts'
export { type RunUses, usesOfRuns } from './uses-of-runs.ts'
