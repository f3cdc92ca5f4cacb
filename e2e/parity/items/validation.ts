import { contract } from '@touchstone/contract'
import type { Chapter } from '../item.ts'
import { idOrName, promptErrors, validation as refuses, sharing } from '../proofs.ts'

const { projects, datasets, datasetVersions, datasetFiles, datasetSearch, examples, feedback } = contract
const { comparativeExperiments, prompts, promptCommits, info, datasetSharing, workspaces } = contract

export const validation: Chapter = {
  title: '5. Validation rules',
  items: [
    {
      statement: 'Ids must be valid UUIDs, checked before calls',
      methods: [
        'shareRun',
        'readProject',
        'readDataset',
        'readExample',
        'readFeedback',
        'listProjects',
        'listDatasets',
        'listExamples',
        'readAnnotationQueue',
        'addRunsToAnnotationQueue',
        'deleteRunFromAnnotationQueue',
      ],
      routes: [],
      proofs: refuses('is refused by %s, before any request', 'is named by %s, before any request'),
    },
    {
      statement: 'Project: exactly one of id or name',
      methods: ['readProject', 'hasProject', 'deleteProject'],
      routes: [projects.read, projects.list, projects.delete],
      proofs: idOrName('of a project is asked for, before any request'),
    },
    {
      statement: 'Dataset: exactly one of id or name, for reads, updates, deletes, splits and creating examples',
      methods: [
        'readDataset',
        'hasDataset',
        'updateDataset',
        'deleteDataset',
        'updateDatasetTag',
        'diffDatasetVersions',
        'readDatasetOpenaiFinetuning',
        'indexDataset',
        'listDatasetSplits',
        'updateDatasetSplits',
        'createExample',
        'createExamples',
        'listExamples',
      ],
      routes: [
        datasets.read,
        datasets.list,
        datasets.update,
        datasets.delete,
        datasetVersions.tag,
        datasetVersions.diff,
        datasetFiles.openaiFineTuning,
        datasetSearch.index,
        datasetVersions.listSplits,
        datasetVersions.updateSplits,
        examples.upload,
        examples.list,
      ],
      proofs: idOrName(
        'of a dataset is asked for by %s, before any request',
        'of a dataset to share is asked for, before any request',
      ),
    },
    {
      statement: 'Dataset version read: exactly one of asOf and tag',
      methods: ['readDatasetVersion'],
      routes: [datasetVersions.read],
      proofs: idOrName('of time and tag names a version, before any request'),
    },
    {
      statement: 'Feedback: exactly one of runId or projectId',
      methods: ['createFeedback'],
      routes: [feedback.create],
      proofs: idOrName('of run and project is judged by feedback, before any request'),
    },
    {
      statement: 'Comparative experiment: at least one experiment and a reference dataset',
      methods: ['createComparativeExperiment'],
      routes: [comparativeExperiments.create],
      proofs: refuses('needs an experiment and a dataset'),
    },
    {
      statement: 'Creating an example with a full example object forbids separate outputs or options',
      methods: ['createExample'],
      routes: [examples.upload],
      proofs: refuses('that is given whole excludes outputs and options beside it'),
    },
    {
      statement: 'Legacy batch example creation requires inputs',
      methods: ['createExamples'],
      routes: [examples.upload],
      proofs: refuses('of many in columns needs inputs'),
    },
    {
      statement: 'A public prompt requires the tenant to have a handle',
      methods: ['createPrompt'],
      routes: [workspaces.settings, prompts.create],
      proofs: promptErrors('is not public while the workspace has no handle'),
    },
    {
      statement:
        'Prompt create, update and delete require the current tenant to be the owner (`-` means the current tenant)',
      methods: ['createPrompt', 'updatePrompt', 'deletePrompt'],
      routes: [workspaces.settings, prompts.create, prompts.update, prompts.delete],
      proofs: promptErrors(
        'of another workspace is neither created, nor changed, nor deleted',
        'of the caller’s own goes by its handle and by a dash',
      ),
    },
    {
      statement: 'A prompt update needs at least one valid option',
      methods: ['updatePrompt'],
      routes: [prompts.update],
      proofs: promptErrors('is not changed when nothing is said'),
    },
    {
      statement: 'A commit or update requires the prompt to exist',
      methods: ['createCommit', 'updatePrompt'],
      routes: [prompts.read, promptCommits.create, prompts.update],
      proofs: promptErrors(
        'that is not there is null to a lookup, and is neither changed, nor deleted, nor committed to',
      ),
    },
    {
      statement: 'The multipart example endpoints require deployment support',
      methods: ['createExample', 'updateExample'],
      routes: [info.read, examples.upload, examples.patch],
      proofs: refuses('is not sent to a server that has no multipart endpoint'),
    },
    {
      statement: 'A public URL or token must parse to a UUID',
      methods: ['clonePublicDataset'],
      routes: [datasetSharing.publicDataset],
      proofs: sharing('takes a token or a public page for a clone, and names anything else'),
    },
  ],
}
