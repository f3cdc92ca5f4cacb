import { contract } from '@touchstone/contract'
import type { Chapter } from '../item.ts'
import { datasetCalls, everyClient, ourDatasets, projectCalls, runCalls } from '../proofs.ts'

const { runStats, sharing, datasetSharing, projects, datasets, datasetVersions, datasetFiles, datasetSearch } = contract

const sharesRuns = runCalls('PUT, GET and DELETE /runs/{id}/share open a run, tell its token and close it')
const sharesDatasets = datasetCalls(
  'PUT, GET and DELETE /datasets/{id}/share open a dataset, tell its token and close it',
)
const readsPublicly = datasetCalls('GET /public/{token}/datasets and /public/{token}/examples need the token alone')
const readsDatasets = datasetCalls(
  'GET /datasets and /datasets/{id} read one, and list by limit, offset, id, name, part of it and metadata',
)
const version = datasetCalls('GET /datasets/{id}/version reads one by time or tag, PUT /datasets/{id}/tags names it')

export const calls: Chapter[] = [
  {
    title: '7. Calls: runs and sharing',
    items: [
      {
        statement:
          'POST /runs/stats, body filter fields: id, trace, parent_run, run_type, session, start_time, end_time, error, query, filter, is_root, data_source_type',
        methods: ['getRunStats'],
        routes: [runStats.stats],
        proofs: runCalls('POST /runs/stats carries every filter field of the specification'),
      },
      {
        statement: 'PUT /runs/{id}/share, body run_id and share_token; the answer carries share_token',
        methods: ['shareRun'],
        routes: [sharing.shareRun],
        proofs: sharesRuns,
      },
      {
        statement: 'GET and DELETE /runs/{id}/share',
        methods: ['readRunSharedLink', 'unshareRun'],
        routes: [sharing.readRunShare, sharing.unshareRun],
        proofs: sharesRuns,
      },
      {
        statement: 'GET /public/{token}/runs, optional repeated id',
        methods: ['listSharedRuns'],
        routes: [sharing.publicRuns],
        proofs: runCalls('GET /public/{token}/runs lists all of them, or some by repeated id'),
      },
    ],
  },
  {
    title: '7. Calls: dataset sharing and public reads',
    items: [
      {
        statement: 'GET, PUT and DELETE /datasets/{id}/share',
        methods: ['readDatasetSharedSchema', 'shareDataset', 'unshareDataset'],
        routes: [datasetSharing.readShare, datasetSharing.share, datasetSharing.unshare],
        proofs: sharesDatasets,
      },
      {
        statement: 'GET /public/{token}/datasets',
        methods: ['readSharedDataset'],
        routes: [datasetSharing.publicDataset],
        proofs: readsPublicly,
      },
      {
        statement: 'GET /public/{token}/examples, optional id list',
        methods: ['listSharedExamples'],
        routes: [datasetSharing.publicExamples],
        proofs: readsPublicly,
      },
    ],
  },
  {
    title: '7. Calls: projects',
    items: [
      {
        statement: 'POST /sessions[?upsert=true], body name, extra, description, reference_dataset_id',
        methods: ['createProject'],
        routes: [projects.create],
        proofs: projectCalls('POST /sessions creates one, and with upsert takes the one that is there'),
      },
      {
        statement: 'PATCH /sessions/{id}, body name, extra, description, end_time',
        methods: ['updateProject'],
        routes: [projects.update],
        proofs: projectCalls('PATCH /sessions/{id} changes name, description, extra and the end'),
      },
      {
        statement: 'GET /sessions[/{id}] with name or include_stats',
        methods: ['readProject', 'hasProject'],
        routes: [projects.read, projects.list],
        proofs: projectCalls('GET /sessions and /sessions/{id} read one by name or id, with figures when asked'),
      },
      {
        statement: 'GET /sessions with filters id, name, name_contains, reference_dataset, reference_free, metadata',
        methods: ['listProjects'],
        routes: [projects.list],
        proofs: projectCalls(
          'GET /sessions filters by id, name, part of a name, dataset, absence of one, and metadata',
        ),
      },
      {
        statement: 'DELETE /sessions/{id}',
        methods: ['deleteProject'],
        routes: [projects.delete],
        proofs: projectCalls('DELETE /sessions/{id} deletes one, found by name where no id is given'),
      },
    ],
  },
  {
    title: '7. Calls: datasets',
    items: [
      {
        statement: 'POST /datasets/upload, multipart: file, input_keys, output_keys, description, data_type, name',
        methods: ['uploadCsv'],
        routes: [datasetFiles.upload],
        proofs: [
          ...datasetCalls('POST /datasets/upload sends the file, its columns and what the dataset is to be'),
          ...everyClient('are made of CSV files'),
        ],
      },
      {
        statement: 'POST /datasets',
        methods: ['createDataset'],
        routes: [datasets.create],
        proofs: datasetCalls('POST /datasets creates one, kv unless it is said otherwise'),
      },
      {
        statement: 'GET /datasets[/{id}] with limit, offset, id, name, name_contains, metadata',
        methods: ['readDataset', 'hasDataset', 'listDatasets'],
        routes: [datasets.read, datasets.list],
        proofs: [...readsDatasets, ...everyClient('are created, read, listed, changed and deleted')],
      },
      {
        statement: 'PATCH and DELETE /datasets/{id}',
        methods: ['updateDataset', 'deleteDataset'],
        routes: [datasets.update, datasets.delete],
        proofs: [
          ...datasetCalls('PATCH and DELETE /datasets/{id} change one and delete it'),
          ...ourDatasets('changes everything of a dataset that can be changed'),
        ],
      },
      {
        statement: 'GET /datasets/{id}/versions/diff with from_version and to_version',
        methods: ['diffDatasetVersions'],
        routes: [datasetVersions.diff],
        proofs: datasetCalls('GET /datasets/{id}/versions/diff tells two versions apart'),
      },
      {
        statement: 'GET /datasets/{id}/openai_ft, newline-delimited JSON',
        methods: ['readDatasetOpenaiFinetuning'],
        routes: [datasetFiles.openaiFineTuning],
        proofs: [
          ...datasetCalls('GET /datasets/{id}/openai_ft reads lines of JSON'),
          ...everyClient('are read as the lines that fine-tuning takes'),
        ],
      },
      {
        statement: 'PUT /datasets/{id}/tags',
        methods: ['updateDatasetTag'],
        routes: [datasetVersions.tag],
        proofs: [...version, ...everyClient('keep every version, which tags and moments name')],
      },
      {
        statement: 'POST /datasets/{id}/index, body tag',
        methods: ['indexDataset'],
        routes: [datasetSearch.index],
        proofs: datasetCalls('POST /datasets/{id}/index and /datasets/{id}/search find examples like some inputs'),
      },
      {
        statement: 'POST /datasets/{id}/search, body limit, inputs, filter; the answer has examples',
        methods: ['similarExamples'],
        routes: [datasetSearch.search],
        proofs: [
          ...datasetCalls('POST /datasets/{id}/index and /datasets/{id}/search find examples like some inputs'),
          ...everyClient('are found best first, within a filter'),
        ],
      },
      {
        statement: 'GET /datasets/{id}/version with as_of or tag',
        methods: ['readDatasetVersion'],
        routes: [datasetVersions.read],
        proofs: version,
      },
      {
        statement: 'GET and PUT /datasets/{id}/splits',
        methods: ['listDatasetSplits', 'updateDatasetSplits'],
        routes: [datasetVersions.listSplits, datasetVersions.updateSplits],
        proofs: [
          ...datasetCalls('GET and PUT /datasets/{id}/splits read the names and move examples'),
          ...everyClient('are cut into splits, which belong to versions too'),
        ],
      },
      {
        statement: 'POST /datasets/comparative',
        methods: ['createComparativeExperiment'],
        routes: [contract.comparativeExperiments.create],
        proofs: [
          ...datasetCalls('POST /datasets/comparative names experiments over one dataset'),
          ...everyClient('are created over the dataset of their experiments'),
        ],
      },
    ],
  },
]
