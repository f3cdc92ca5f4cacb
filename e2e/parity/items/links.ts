import { contract } from '@touchstone/contract'
import type { Chapter } from '../item.ts'
import { datasetCalls, projectCalls, promptCalls, runCalls, sharing } from '../proofs.ts'

const { sharing: shares, datasetSharing, projects, datasets, workspaces, promptCommits } = contract

export const links: Chapter = {
  title: '2. Links',
  items: [
    {
      statement: 'Public run: `{host}/public/{share_token}/r`',
      methods: ['shareRun', 'readRunSharedLink'],
      routes: [shares.shareRun, shares.readRunShare],
      proofs: runCalls('PUT, GET and DELETE /runs/{id}/share open a run, tell its token and close it'),
    },
    {
      statement: 'Public dataset: `{host}/public/{share_token}/d`',
      methods: ['shareDataset', 'readDatasetSharedSchema'],
      routes: [datasetSharing.share, datasetSharing.readShare],
      proofs: datasetCalls('PUT, GET and DELETE /datasets/{id}/share open a dataset, tell its token and close it'),
    },
    {
      statement: 'Project: `{host}/o/{tenant}/projects/p/{id}`',
      methods: ['getProjectUrl'],
      routes: [projects.read, projects.list],
      proofs: [
        ...projectCalls('GET /sessions and /sessions/{id} read one by name or id, with figures when asked'),
        ...sharing('needs a project to learn the tenant from'),
      ],
    },
    {
      statement: 'Dataset: `{host}/o/{tenant}/datasets/{id}`',
      methods: ['getDatasetUrl'],
      routes: [datasets.read, projects.list],
      proofs: datasetCalls(
        'GET /datasets and /datasets/{id} read one, and list by limit, offset, id, name, part of it and metadata',
      ),
    },
    {
      statement:
        'Prompt of the current tenant: `{host}/prompts/{repo}[/{commit, first 8 characters}]?organizationId={id}`',
      methods: ['pushPrompt', 'createCommit'],
      routes: [workspaces.settings, promptCommits.create],
      proofs: promptCalls('of the caller’s own leads to /prompts, with eight characters of the commit'),
    },
    {
      statement: 'Prompt of another owner: `{host}/hub/{owner}/{repo}[/{commit prefix}]`',
      methods: ['pushPrompt', 'createCommit'],
      routes: [workspaces.settings, promptCommits.create],
      proofs: promptCalls('of another owner leads to /hub, with eight characters of the commit'),
    },
  ],
}
