import { contract } from '@touchstone/contract'
import type { Chapter } from '../item.ts'
import { datasetCalls, everyClient, ourDatasets, promptCalls, runCalls, sharing, validation } from '../proofs.ts'

const { prompts, promptCommits, sharing: shares, datasetSharing, comparativeExperiments, datasets, examples } = contract

export const states: Chapter = {
  title: '4. States and transitions',
  items: [
    {
      statement: 'Prompt push: creates the repo if it does not exist, then creates a commit if a manifest is given',
      methods: ['pushPrompt'],
      routes: [prompts.read, prompts.create, promptCommits.create],
      proofs: promptCalls('creates a prompt that is not there and commits the manifest'),
    },
    {
      statement: 'Prompt push: otherwise updates its metadata',
      methods: ['pushPrompt'],
      routes: [prompts.read, prompts.update],
      proofs: promptCalls(
        'changes what is said about a prompt that is there, and commits nothing where nothing is given',
      ),
    },
    {
      statement: 'A commit uses the latest commit hash as parent when none is given or when the parent is `latest`',
      methods: ['createCommit'],
      routes: [promptCommits.list, promptCommits.create],
      proofs: promptCalls('POST /commits/{owner}/{repo} takes the latest commit for parent unless another is named'),
    },
    {
      statement: 'Prompts can be archived or unarchived, and made public or private',
      methods: ['updatePrompt'],
      routes: [prompts.update],
      proofs: promptCalls('GET, PATCH and DELETE /repos/{owner}/{repo} read, change and delete one'),
    },
    {
      statement: 'A run can be shared or unshared',
      methods: ['shareRun', 'unshareRun'],
      routes: [shares.shareRun, shares.unshareRun],
      proofs: runCalls('PUT, GET and DELETE /runs/{id}/share open a run, tell its token and close it'),
    },
    {
      statement: 'A dataset can be shared or unshared',
      methods: ['shareDataset', 'unshareDataset'],
      routes: [datasetSharing.share, datasetSharing.unshare],
      proofs: [
        ...datasetCalls('PUT, GET and DELETE /datasets/{id}/share open a dataset, tell its token and close it'),
        ...everyClient('are shared, read by strangers, and closed'),
      ],
    },
    {
      statement: 'A comparative experiment needs at least one experiment',
      methods: ['createComparativeExperiment'],
      routes: [comparativeExperiments.create],
      proofs: validation('needs an experiment and a dataset'),
    },
    {
      statement: 'Cloning a public dataset is skipped if the dataset already exists',
      methods: ['clonePublicDataset'],
      routes: [datasetSharing.publicDataset, datasets.list],
      proofs: [
        ...sharing('skips an existing clone, and names what to delete when one fails'),
        ...ourDatasets('keeps metadata, splits and attachments of what it clones, and skips what is there'),
      ],
    },
    {
      statement: 'If example creation fails, a message tells the user to delete the partial dataset manually',
      methods: ['clonePublicDataset'],
      routes: [datasetSharing.publicExamples, datasets.create, examples.upload],
      proofs: sharing('skips an existing clone, and names what to delete when one fails'),
    },
  ],
}
