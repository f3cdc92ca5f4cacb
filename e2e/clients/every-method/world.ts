import type { Client, Example } from 'langsmith'
import { aProjectName, collect } from '../javascript/a-client.ts'
import { aConversation } from '../javascript/a-conversation.ts'

/** What calls need to be there: traces, a dataset with two versions, two experiments, a queue with runs, a prompt. */
export type World = Awaited<ReturnType<typeof makeWorld>>

export async function makeWorld(client: Client) {
  const conversation = await aConversation(client, 3)
  const { projectId, projectName, traces } = conversation
  const dataset = await client.createDataset(aProjectName('world'))
  const examples = await client.createExamples(
    [1, 2, 3].map((n) => ({
      inputs: { question: `${n}?` },
      outputs: { answer: `${n}!` },
      dataset_id: dataset.id,
    })),
  )
  const firstVersion = (await client.readDatasetVersion({ datasetId: dataset.id, tag: 'latest' })).as_of
  await client.updateExample({ id: examples[0]!.id, inputs: { question: 'changed?' } } as never)
  const experiments = await Promise.all(
    ['a', 'b'].map((name) =>
      client.createProject({ projectName: aProjectName(name), referenceDatasetId: dataset.id } as never),
    ),
  )
  const key = aProjectName('tone')
  await client.createFeedbackConfig({ feedbackKey: key, feedbackConfig: CATEGORIES })
  const feedback = await client.createFeedback({
    runId: traces[0]!.root.id,
    sessionId: projectId,
    key: 'rating',
    score: 1,
  })
  const queue = await client.createAnnotationQueue({ name: aProjectName('queue') })
  await client.addRunsToAnnotationQueue(
    queue.id,
    traces.map(({ root }) => ({ runId: root.id, sessionId: projectId, startTime: root.start_time })),
  )
  const prompt = aProjectName('prompt')
  await client.pushPrompt(prompt, { object: MANIFEST })
  for (const [kind, push] of [
    ['agent', (name: string) => client.pushAgent(name, { files: FILES })],
    ['skill', (name: string) => client.pushSkill(name, { files: FILES })],
  ] as const)
    await push(`${prompt}-${kind}`)
  const runs = await collect(client.listRuns({ projectId }))
  const run = runs.find(({ id }) => id === traces[0]!.root.id)!
  const llm = runs.find(({ id }) => id === traces[0]!.llm.id)!

  return {
    ...{ client, conversation, projectId, projectName, dataset, examples, firstVersion, experiments, key, feedback },
    ...{ queue, prompt, run, llm, threadId: conversation.threadId },
    /** A project for one call, e.g. to delete it. */
    aProject: () => client.createProject({ projectName: aProjectName('spare') }),
    aDataset: () => client.createDataset(aProjectName('spare')),
    anExample: (): Promise<Example> =>
      client.createExample({ inputs: { question: 'spare?' }, dataset_id: dataset.id } as never),
    aPrompt: async () => {
      const name = aProjectName('spare')
      await client.createPrompt(name)
      return name
    },
    aQueue: () => client.createAnnotationQueue({ name: aProjectName('spare') }),
    /** A queue for one call, and the id of the only item in it. */
    aQueueWithItem: async () => {
      const { id } = await client.createAnnotationQueue({ name: aProjectName('spare') })
      const { items } = await client.annotationQueues.items.create(id, {
        items: [{ item_type: 'RUN', run_id: run.id, session_id: projectId }],
      })
      return { queueId: id, itemId: items![0]!.id! }
    },
    anEvaluator: async () => {
      const made = { name: aProjectName('spare'), type: 'code' as const, code_evaluator: { code: 'return 1' } }
      return (await client.evaluators.create(made)).evaluator!.id!
    },
    aFeedback: () => client.createFeedback({ runId: run.id, sessionId: projectId, key: 'spare', score: 0 }),
    aKey: async () => {
      const feedbackKey = aProjectName('spare')
      await client.createFeedbackConfig({ feedbackKey, feedbackConfig: CATEGORIES })
      return feedbackKey
    },
    anAgent: async () => (await client.agents.create({ id: aProjectName('agent'), source_type: 'EXTERNAL' })).id!,
  }
}

export const CATEGORIES = {
  type: 'categorical' as const,
  categories: ['rude', 'plain', 'polite'].map((label, value) => ({ value, label })),
}
export const FILES = { 'AGENTS.md': { type: 'file' as const, content: '# Assay' } }
export const MANIFEST = {
  lc: 1,
  type: 'constructor',
  id: ['langchain', 'prompts', 'prompt', 'PromptTemplate'],
  kwargs: { template: 'Is {metal} gold?', input_variables: ['metal'], template_format: 'f-string' },
}
