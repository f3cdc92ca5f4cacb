import { randomUUID } from 'node:crypto'
import type { Client } from 'langsmith'
import { aRunHead } from '../../support/raw-ingest.ts'
import { aProjectName, collect } from '../javascript/a-client.ts'
import { CATEGORIES, FILES, MANIFEST, type World } from './world.ts'

export type Call = (world: World) => unknown

const newRun = (world: World) => aRunHead({ session_name: world.projectName, inputs: { q: 1 } }) as never
const ids = (world: World) => ({ datasetId: world.dataset.id })
const exampleOptions = ids

/** One call per public method of the published client, without its generated halves. */
export const CALLS_OF_CLIENT: Readonly<Record<string, Call>> = {
  getHostUrl: ({ client }) => client.getHostUrl(),
  headers: ({ client }) => (client as unknown as { headers: unknown }).headers,
  tracingMode: ({ client }) => client.tracingMode,
  toString: (world: World) => String(world.client),
  flush: ({ client }) => client.flush(),
  awaitPendingTraceBatches: ({ client }) => client.awaitPendingTraceBatches(),
  cleanup: ({ client }) => client.cleanup(),

  createRun: (world) => world.client.createRun(newRun(world)),
  batchIngestRuns: (world) => world.client.batchIngestRuns({ runCreates: [newRun(world)] }),
  multipartIngestRuns: (world) => world.client.multipartIngestRuns({ runCreates: [newRun(world)] }),
  updateRun: ({ client, run, projectName }) =>
    client.updateRun(run.id, {
      outputs: { answer: 'changed' },
      trace_id: run.trace_id!,
      dotted_order: run.dotted_order!,
      session_name: projectName,
    } as never),
  readRun: ({ client, run }) => client.readRun(run.id, { loadChildRuns: true }),
  getRunUrl: ({ client, run }) => client.getRunUrl({ run }),
  listRuns: ({ client, projectId }) => collect(client.listRuns({ projectId, isRoot: true, limit: 2 })),
  listGroupRuns: ({ client, projectName }) =>
    collect(client.listGroupRuns({ projectName, groupBy: 'conversation' } as never)),
  readThread: ({ client, projectId, threadId }) => collect(client.readThread({ projectId, threadId })),
  listThreads: ({ client, projectId }) => client.listThreads({ projectId }),
  getRunStats: ({ client, projectId }) => client.getRunStats({ projectIds: [projectId] }),
  shareRun: ({ client, llm }) => client.shareRun(llm.id),
  unshareRun: async ({ client, llm }) => {
    await client.shareRun(llm.id)
    await client.unshareRun(llm.id)
  },
  readRunSharedLink: ({ client, run }) => client.readRunSharedLink(run.id),
  listSharedRuns: async ({ client, run }) => client.listSharedRuns(tokenIn(await client.shareRun(run.id))),

  createProject: ({ client }) => client.createProject({ projectName: aProjectName('made') }),
  updateProject: ({ client, projectId }) => client.updateProject(projectId, { description: 'changed' }),
  hasProject: ({ client, projectName }) => client.hasProject({ projectName }),
  readProject: ({ client, projectId }) => client.readProject({ projectId, includeStats: true }),
  getProjectUrl: ({ client, projectId }) => client.getProjectUrl({ projectId }),
  listProjects: ({ client, projectName }) => collect(client.listProjects({ name: projectName })),
  deleteProject: async ({ client, aProject }) => client.deleteProject({ projectId: (await aProject()).id }),

  createDataset: ({ client }) => client.createDataset(aProjectName('made')),
  readDataset: (world) => world.client.readDataset(ids(world)),
  hasDataset: (world) => world.client.hasDataset(ids(world)),
  listDatasets: ({ client, dataset }) => collect(client.listDatasets({ datasetName: dataset.name })),
  updateDataset: (world) => world.client.updateDataset({ ...ids(world), description: 'changed' }),
  deleteDataset: async ({ client, aDataset }) => client.deleteDataset({ datasetId: (await aDataset()).id }),
  getDatasetUrl: (world) => world.client.getDatasetUrl(ids(world)),
  uploadCsv: ({ client }) =>
    client.uploadCsv({
      csvFile: new Blob(['question,answer\n1?,1!\n']),
      fileName: 'made.csv',
      name: aProjectName('made'),
      inputKeys: ['question'],
      outputKeys: ['answer'],
    }),
  diffDatasetVersions: (world) =>
    world.client.diffDatasetVersions({ ...ids(world), fromVersion: world.firstVersion, toVersion: 'latest' }),
  readDatasetVersion: (world) => world.client.readDatasetVersion({ ...ids(world), tag: 'latest' }),
  updateDatasetTag: (world) => world.client.updateDatasetTag({ ...ids(world), asOf: world.firstVersion, tag: 'first' }),
  readDatasetOpenaiFinetuning: async ({ client }) => {
    const { id: datasetId } = await client.createDataset(aProjectName('chats'), { dataType: 'chat' })
    await client.createChatExample(
      [{ type: 'human', data: { content: 'Hi' } }],
      { type: 'ai', data: { content: 'Ho' } },
      {
        datasetId,
      },
    )
    return client.readDatasetOpenaiFinetuning({ datasetId })
  },
  shareDataset: (world) => world.client.shareDataset(world.dataset.id),
  unshareDataset: async ({ client, aDataset }) => {
    const { id } = await aDataset()
    await client.shareDataset(id)
    await client.unshareDataset(id)
  },
  readDatasetSharedSchema: async ({ client, dataset }) => {
    await client.shareDataset(dataset.id)
    return client.readDatasetSharedSchema(dataset.id)
  },
  readSharedDataset: async ({ client, dataset }) =>
    client.readSharedDataset((await client.shareDataset(dataset.id)).share_token),
  listSharedExamples: async ({ client, dataset }) =>
    client.listSharedExamples((await client.shareDataset(dataset.id)).share_token),
  clonePublicDataset: async ({ client, dataset }) => {
    const { share_token } = await client.shareDataset(dataset.id)
    await client.clonePublicDataset(share_token, { datasetName: aProjectName('clone') })
  },

  createExample: ({ anExample }) => anExample(),
  createExamples: (world) => world.client.createExamples([{ inputs: { n: 1 }, dataset_id: world.dataset.id }]),
  createLLMExample: (world) => world.client.createLLMExample('1?', '1!', exampleOptions(world)),
  createChatExample: (world) =>
    world.client.createChatExample([{ type: 'human', data: { content: 'Hi' } }], undefined, exampleOptions(world)),
  uploadExamplesMultipart: ({ client, dataset }) =>
    client.uploadExamplesMultipart(dataset.id, [{ inputs: { n: 2 } }] as never),
  updateExamplesMultipart: ({ client, dataset, examples }) =>
    client.updateExamplesMultipart(dataset.id, [{ id: examples[1]!.id, inputs: { n: 3 } }] as never),
  readExample: ({ client, examples }) => client.readExample(examples[0]!.id),
  listExamples: (world) => collect(world.client.listExamples(ids(world))),
  updateExample: ({ client, examples }) => client.updateExample({ id: examples[1]!.id, inputs: { n: 4 } } as never),
  updateExamples: ({ client, examples, dataset }) =>
    client.updateExamples([{ id: examples[1]!.id, inputs: { n: 5 }, dataset_id: dataset.id }] as never),
  deleteExample: async ({ client, anExample }) => client.deleteExample((await anExample()).id),
  deleteExamples: async ({ client, anExample }) =>
    client.deleteExamples([(await anExample()).id], { hardDelete: true }),
  listDatasetSplits: (world) => world.client.listDatasetSplits(ids(world)),
  updateDatasetSplits: (world) =>
    world.client.updateDatasetSplits({ ...ids(world), splitName: 'test', exampleIds: [world.examples[0]!.id] }),

  createFeedback: ({ aFeedback }) => aFeedback(),
  updateFeedback: ({ client, feedback }) => client.updateFeedback(feedback.id, { comment: 'changed' }),
  readFeedback: ({ client, feedback }) => client.readFeedback(feedback.id),
  listFeedback: ({ client, run }) => collect(client.listFeedback({ runIds: [run.id] })),
  deleteFeedback: async ({ client, aFeedback }) => client.deleteFeedback((await aFeedback()).id),
  createPresignedFeedbackToken: ({ client, run }) => client.createPresignedFeedbackToken(run.id, 'vote'),
  listPresignedFeedbackTokens: ({ client, run }) => collect(client.listPresignedFeedbackTokens(run.id)),
  logEvaluationFeedback: ({ client, run }) =>
    client.logEvaluationFeedback({ evaluatorResponse: { key: 'logged', score: 1 }, run } as never),
  createFeedbackConfig: ({ aKey }) => aKey(),
  listFeedbackConfigs: ({ client, key }) => collect(client.listFeedbackConfigs({ feedbackKeys: [key] })),
  updateFeedbackConfig: ({ client, key }) => client.updateFeedbackConfig(key, { isLowerScoreBetter: true }),
  addFeedbackCategories: async ({ client, key }) => {
    const { feedback_config } = await client.addFeedbackCategories(key, [{ value: 7, label: 'warm' }])
    return mustHave(
      feedback_config?.categories?.map(({ label }) => label),
      'warm',
    )
  },
  removeFeedbackCategories: async ({ client, aKey }) => {
    const { feedback_config } = await client.removeFeedbackCategories(await aKey(), [0])
    return mustHave(feedback_config?.categories?.length, CATEGORIES.categories.length - 1)
  },
  deleteFeedbackConfig: async ({ client, aKey }) => client.deleteFeedbackConfig(await aKey()),
  createComparativeExperiment: ({ client, dataset, experiments }) =>
    client.createComparativeExperiment({
      name: aProjectName('pair'),
      experimentIds: experiments.map(({ id }) => id),
      referenceDatasetId: dataset.id,
    }),

  createAnnotationQueue: ({ aQueue }) => aQueue(),
  listAnnotationQueues: ({ client, queue }) => collect(client.listAnnotationQueues({ name: queue.name })),
  readAnnotationQueue: ({ client, queue }) => client.readAnnotationQueue(queue.id),
  updateAnnotationQueue: ({ client, queue }) => client.updateAnnotationQueue(queue.id, { description: 'changed' }),
  deleteAnnotationQueue: async ({ client, aQueue }) => client.deleteAnnotationQueue((await aQueue()).id),
  addRunsToAnnotationQueue: async ({ client, aQueue, run, projectId }) =>
    client.addRunsToAnnotationQueue((await aQueue()).id, [
      { runId: run.id, sessionId: projectId, startTime: run.start_time! },
    ]),
  getRunFromAnnotationQueue: ({ client, queue }) => client.getRunFromAnnotationQueue(queue.id, 0),
  listRunsFromAnnotationQueue: ({ client, queue }) => collect(client.listRunsFromAnnotationQueue(queue.id)),
  getSizeFromAnnotationQueue: ({ client, queue }) => client.getSizeFromAnnotationQueue(queue.id),
  deleteRunFromAnnotationQueue: async ({ client, aQueue, run, projectId }) => {
    const { id } = await aQueue()
    await client.addRunsToAnnotationQueue(id, [{ runId: run.id, sessionId: projectId, startTime: run.start_time! }])
    const queued = await client.getRunFromAnnotationQueue(id, 0)
    await client.deleteRunFromAnnotationQueue(id, (queued as unknown as { queue_run_id: string }).queue_run_id)
  },

  promptExists: ({ client, prompt }) => client.promptExists(prompt),
  likePrompt: ({ client, prompt }) => client.likePrompt(prompt),
  unlikePrompt: ({ client, prompt }) => client.unlikePrompt(prompt),
  listPrompts: ({ client, prompt }) => collect(client.listPrompts({ query: prompt })),
  listCommits: ({ client, prompt }) => collect(client.listCommits(prompt)),
  getPrompt: ({ client, prompt }) => client.getPrompt(prompt),
  createPrompt: ({ aPrompt }) => aPrompt(),
  createCommit: async ({ client, aPrompt }) => client.createCommit(await aPrompt(), MANIFEST),
  updatePrompt: ({ client, prompt }) => client.updatePrompt(prompt, { description: 'changed' }),
  deletePrompt: async ({ client, aPrompt }) => client.deletePrompt(await aPrompt()),
  pullPromptCommit: ({ client, prompt }) => client.pullPromptCommit(prompt),
  pushPrompt: ({ client, prompt }) => client.pushPrompt(prompt, { tags: ['changed'] }),
  agentExists: ({ client, prompt }) => client.agentExists(`${prompt}-agent`),
  skillExists: ({ client, prompt }) => client.skillExists(`${prompt}-skill`),
  pullAgent: ({ client, prompt }) => client.pullAgent(`${prompt}-agent`),
  pullSkill: ({ client, prompt }) => client.pullSkill(`${prompt}-skill`),
  listAgents: ({ client }) => collect(client.listAgents()),
  listSkills: ({ client }) => collect(client.listSkills()),
  pushAgent: ({ client }) => client.pushAgent(aProjectName('made'), { files: FILES }),
  pushSkill: ({ client }) => client.pushSkill(aProjectName('made'), { files: FILES }),
  deleteAgent: ({ client }) => pushedThenDeleted(client, 'Agent'),
  deleteSkill: ({ client }) => pushedThenDeleted(client, 'Skill'),
}

async function pushedThenDeleted(client: Client, kind: 'Agent' | 'Skill') {
  const name = `made-${randomUUID()}`
  await client[`push${kind}`](name, { files: FILES })
  await client[`delete${kind}`](name)
}

/** The token at the end of a link such as `https://…/public/{token}/r`. */
function tokenIn(link: string): string {
  return /[0-9a-f-]{36}/.exec(link)![0]
}

/** @throws when a server ignored what it was asked for, which a client does not notice */
function mustHave<Item>(found: Item | readonly Item[] | undefined, wanted: Item) {
  const items = Array.isArray(found) ? found : [found]
  if (!items.includes(wanted)) throw new Error(`${JSON.stringify(wanted)} is not in ${JSON.stringify(items)}`)
}
