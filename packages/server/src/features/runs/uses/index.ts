export { danglingExamples, examplesOfDatasets, runsInDatasets } from './links-to-datasets.ts'
export { usesOfRuns } from './uses-of-runs.ts'
