import { contract } from '@touchstone/contract'
import type { Chapter } from '../item.ts'
import { idOrName, promptErrors, retries, sharing, validation } from '../proofs.ts'

const { sharing: shares, projects, datasets, datasetSharing, info, examples, prompts, promptCommits } = contract

const notFound = idOrName('is named by id and name when a list is empty, and does not exist')

export const errors: Chapter = {
  title: '8. The error catalogue',
  items: [
    {
      statement: '`Invalid response from server`: the share answer lacks share_token',
      methods: ['shareRun'],
      routes: [shares.shareRun],
      proofs: sharing('refuses an answer without a token'),
    },
    {
      statement: '`Must provide either ... , not both` and `Must provide ...`: the id-or-name rules',
      methods: ['readProject', 'readDataset', 'listExamples', 'updateDatasetSplits'],
      routes: [projects.read, projects.list, datasets.read, datasets.list],
      proofs: idOrName(
        'of a dataset is asked for by %s, before any request',
        'of a project is asked for, before any request',
      ),
    },
    {
      statement: '`{Project|Dataset}[id=..., name=...] not found`: a read returned an empty list',
      methods: ['readProject', 'readDataset'],
      routes: [projects.list, datasets.list],
      proofs: notFound,
    },
    {
      statement: 'The dataset-existence check treats `not found` as false',
      methods: ['hasDataset'],
      routes: [datasets.read, datasets.list],
      proofs: notFound,
    },
    {
      statement: '`Failed to list shared examples`, with status and detail',
      methods: ['listSharedExamples'],
      routes: [datasetSharing.publicExamples],
      proofs: sharing(
        'tells status and detail when shared examples cannot be listed',
        'tells status alone when there is no detail',
      ),
    },
    {
      statement: '`Your deployment does not allow using the multipart examples endpoint, please upgrade...`',
      methods: ['createExample', 'updateExample'],
      routes: [info.read, examples.upload, examples.patch],
      proofs: validation('is not sent to a server that has no multipart endpoint'),
    },
    {
      statement: '`Prompt does not exist, you must create it first.`',
      methods: ['updatePrompt', 'deletePrompt', 'createCommit'],
      routes: [prompts.read],
      proofs: promptErrors(
        'that is not there is null to a lookup, and is neither changed, nor deleted, nor committed to',
      ),
    },
    {
      statement: '`No valid update options provided`',
      methods: ['updatePrompt'],
      routes: [prompts.update],
      proofs: promptErrors('is not changed when nothing is said'),
    },
    {
      statement: '`Cannot {action} for another tenant`, showing the current and requested tenant',
      methods: ['createPrompt', 'updatePrompt', 'deletePrompt'],
      routes: [contract.workspaces.settings],
      proofs: promptErrors('of another workspace is neither created, nor changed, nor deleted'),
    },
    {
      statement: '`No projects found to resolve tenant.`',
      methods: ['getDatasetUrl', 'getProjectUrl'],
      routes: [projects.list],
      proofs: sharing('needs a project to learn the tenant from'),
    },
    {
      statement: '`Invalid public dataset URL or token`',
      methods: ['clonePublicDataset'],
      routes: [],
      proofs: sharing('takes a token or a public page for a clone, and names anything else'),
    },
    {
      statement: '`Error {status}: {statusText}` plus detail, when the latest commit lookup fails',
      methods: ['createCommit'],
      routes: [promptCommits.list],
      proofs: promptErrors('tells status and detail when it fails', 'tells a detail that is no sentence as JSON'),
    },
    {
      statement: 'Prompt lookup returns null on 404',
      methods: ['getPrompt'],
      routes: [prompts.read],
      proofs: promptErrors(
        'that is not there is null to a lookup, and is neither changed, nor deleted, nor committed to',
      ),
    },
    {
      statement: 'No retry on statuses 400 to 409 (except 408), on aborts, or on insufficient quota',
      methods: [],
      routes: [],
      proofs: retries(
        'with status %i is not repeated',
        'is not repeated for want of quota',
        'is not repeated after an abort, nor after its time is up',
      ),
    },
    {
      statement: 'Otherwise retry, up to 6 times',
      methods: [],
      routes: [],
      proofs: retries('with status %i is repeated until it succeeds', 'is repeated six times and no more'),
    },
  ],
}
