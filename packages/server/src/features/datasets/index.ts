export { type DatasetRow, datasets, datasetTags, datasetVersions } from '../../storage/relational/tables/datasets.ts'
export type { AlignExamples } from './change-datasets.ts'
export { type Advance, advanceVersion, getVersionOfTag, nextVersion, resolveVersion } from './dataset-version.ts'
export {
  countDatasets,
  createDataset,
  getDataset,
  getDatasetView,
  listDatasets,
  lockDataset,
  type NewDataset,
  presentDataset,
  selectDatasetMap,
} from './datasets.ts'
export { datasetRoutes } from './routes.ts'
export { type DatasetView, selectDataset, selectDatasetByName, toNewDatasetView, updateDataset } from './store.ts'
