import { contract } from '@touchstone/contract'
import type { Chapter } from '../item.ts'
import { datasetCalls, feedbackCalls, entities as of, promptCalls, runCalls } from '../proofs.ts'

const { sharing, projects, datasets, datasetVersions, examples, feedback, feedbackTokens } = contract
const { comparativeExperiments, annotationQueues, prompts, promptCommits } = contract

export const entities: Chapter = {
  title: '3. Entities and their fields',
  items: [
    {
      statement: 'Run share: run_id, share_token',
      methods: ['shareRun'],
      routes: [sharing.shareRun],
      proofs: runCalls('PUT, GET and DELETE /runs/{id}/share open a run, tell its token and close it'),
    },
    {
      statement: 'Project: id, tenant_id, name, description, extra (with metadata), reference_dataset_id, end_time',
      methods: ['createProject', 'updateProject', 'readProject'],
      routes: [projects.create, projects.update, projects.read],
      proofs: of('as a project'),
    },
    {
      statement:
        'Dataset: id, name, description, data_type (default kv), inputs_schema_definition, outputs_schema_definition, extra.metadata',
      methods: ['createDataset', 'readDataset'],
      routes: [datasets.create, datasets.read],
      proofs: of('as a dataset, of type kv unless it is said otherwise'),
    },
    {
      statement:
        'Example: id, dataset_id, inputs, outputs, metadata, split, created_at, source_run_id, attachments (name → presigned_url, mime_type)',
      methods: ['createExample', 'readExample'],
      routes: [examples.upload, examples.read],
      proofs: of('as an example'),
    },
    {
      statement: 'Example: use_source_run_io, use_source_run_attachments',
      methods: ['createExample'],
      routes: [examples.upload],
      proofs: of('as an example made of a run'),
    },
    {
      statement:
        'Feedback: id, run_id, key, score, value, correction, comment, feedback_source (type default api, metadata), comparative_experiment_id, feedbackConfig, session_id',
      methods: ['createFeedback', 'readFeedback'],
      routes: [feedback.create, feedback.read],
      proofs: [
        ...of('as feedback on a run, and on a project'),
        ...feedbackCalls('POST /feedback gives it with its source, of type api unless it is said otherwise'),
      ],
    },
    {
      statement: 'Presigned feedback token: run_id, feedback_key, feedback_config, expires_at or expires_in',
      methods: ['createPresignedFeedbackToken'],
      routes: [feedbackTokens.create],
      proofs: feedbackCalls(
        'POST and GET /feedback/tokens give tokens, which expire after three hours unless it is said otherwise',
      ),
    },
    {
      statement:
        'Comparative experiment: id, name, experiment_ids, reference_dataset_id, description, created_at, extra.metadata',
      methods: ['createComparativeExperiment'],
      routes: [comparativeExperiments.create],
      proofs: [
        ...of('as a comparison'),
        ...datasetCalls('POST /datasets/comparative names experiments over one dataset'),
      ],
    },
    {
      statement: 'Annotation queue: id, name, description, rubric_instructions',
      methods: ['createAnnotationQueue', 'readAnnotationQueue'],
      routes: [annotationQueues.create, annotationQueues.read],
      proofs: of('as an annotation queue'),
    },
    {
      statement: 'Prompt repo: repo_handle, description, readme, tags, is_public, is_archived',
      methods: ['createPrompt', 'updatePrompt', 'getPrompt'],
      routes: [prompts.create, prompts.update, prompts.read],
      proofs: promptCalls(
        'POST /repos creates one with description, readme and tags, public where there is a handle',
        'GET, PATCH and DELETE /repos/{owner}/{repo} read, change and delete one',
      ),
    },
    {
      statement: 'Commit: manifest, parent_commit, commit_hash',
      methods: ['createCommit', 'listCommits'],
      routes: [promptCommits.create, promptCommits.list],
      proofs: promptCalls(
        'POST /commits/{owner}/{repo} takes the latest commit for parent unless another is named',
        'GET /commits/{owner}/{repo} lists them, newest first',
      ),
    },
    {
      statement: 'Dataset tag: as_of, tag',
      methods: ['updateDatasetTag'],
      routes: [datasetVersions.tag],
      proofs: datasetCalls('GET /datasets/{id}/version reads one by time or tag, PUT /datasets/{id}/tags names it'),
    },
    {
      statement: 'Split update: split_name, examples, remove',
      methods: ['updateDatasetSplits'],
      routes: [datasetVersions.updateSplits],
      proofs: datasetCalls('GET and PUT /datasets/{id}/splits read the names and move examples'),
    },
  ],
}
