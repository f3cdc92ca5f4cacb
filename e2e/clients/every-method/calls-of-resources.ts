import { collect } from '../javascript/a-client.ts'
import type { Call } from './calls-of-client.ts'
import type { World } from './world.ts'

const window = () => ({
  min_start_time: new Date(Date.now() - 3_600_000).toISOString(),
  max_start_time: new Date(Date.now() + 60_000).toISOString(),
})
const runQuery = ({ projectId }: World) => ({ ...window(), project_ids: [projectId], selects: ['ID'] as never })
const ofProject = ({ projectId }: World) => ({ ...window(), project_id: projectId })
const runKey = ({ projectId, run }: World) => ({ project_id: projectId, start_time: run.start_time as string })
const end = async (stream: PromiseLike<AsyncIterable<unknown>>) => collect(await stream)

/** One call per method of the generated halves (`client.runs`, …) that a server of ours answers. */
export const CALLS_OF_RESOURCES: Readonly<Record<string, Call>> = {
  'runs.getURL': (w) => w.client.runs.getURL(w.run.id, { ...runKey(w), trace_id: w.run.trace_id! }),
  'runs.queryV2': (w) => collect(w.client.runs.queryV2(runQuery(w))),
  'runs.retrieveV2': (w) => w.client.runs.retrieveV2(w.run.id, { ...runKey(w), selects: ['ID'] }),
  'runs.share.create': (w) =>
    w.client.runs.share.create(w.run.id, { session_id: w.projectId, trace_id: w.run.trace_id } as never),
  'runs.share.delete': (w) => w.client.runs.share.delete(w.run.id, { session_id: w.projectId } as never),
  'runs.streaming.queryV2': (w) => end(w.client.runs.streaming.queryV2(runQuery(w))),
  'runs.streaming.queryV2Items': (w) => collect(w.client.runs.streaming.queryV2Items(runQuery(w))),
  'traces.listRuns': (w) =>
    w.client.traces.listRuns(w.run.trace_id!, { project_id: w.projectId, selects: ['ID'] } as never),
  'traces.query': (w) => collect(w.client.traces.query(ofProject(w))),
  'traces.streaming.query': (w) => end(w.client.traces.streaming.query(ofProject(w))),
  'traces.streaming.queryItems': (w) => collect(w.client.traces.streaming.queryItems(ofProject(w))),
  'threads.aggregateStats': (w) =>
    w.client.threads.aggregateStats({ ...ofProject(w), select: ['THREAD_COUNT'] } as never),
  'threads.listTraces': (w) =>
    collect(w.client.threads.listTraces(w.threadId, { project_id: w.projectId, selects: ['NAME'] } as never)),
  'threads.query': (w) => collect(w.client.threads.query(ofProject(w))),
  'threads.stats': (w) => w.client.threads.stats(w.threadId, { session_id: w.projectId, selects: ['TURNS'] } as never),
  'threads.share.create': (w) => w.client.threads.share.create(w.threadId, { project_id: w.projectId }),
  'threads.share.retrieve': (w) => w.client.threads.share.retrieve(w.threadId, { project_id: w.projectId }),
  'threads.share.delete': (w) => w.client.threads.share.delete(w.threadId, { project_id: w.projectId }),
  'threads.streaming.query': (w) => end(w.client.threads.streaming.query(ofProject(w))),
  'threads.streaming.queryItems': (w) => collect(w.client.threads.streaming.queryItems(ofProject(w))),
  'datasets.listV2': (w) => collect(w.client.datasets.listV2({ id: [w.dataset.id] } as never)),
  'datasets.examples.updateMetadata': (w) =>
    w.client.datasets.examples.updateMetadata(w.dataset.id, {
      example_ids: [w.examples[0]!.id],
      operations: [{ key: 'k', operation: 'SET', value: 1 }],
    } as never),
  'datasets.experimentRuns.query': (w) =>
    collect(w.client.datasets.experimentRuns.query(w.dataset.id, { experiment_ids: [w.experiments[0]!.id] } as never)),
  'public.runs.query': async (w) => {
    const { share_token } = await w.client.runs.share.create(w.run.id, { session_id: w.projectId } as never)
    await w.client.public.runs.query(share_token!, { selects: ['ID'] })
  },
  'public.runs.retrieve': async (w) => {
    const { share_token } = await w.client.runs.share.create(w.run.id, { session_id: w.projectId } as never)
    await w.client.public.runs.retrieve(w.run.id, {
      share_token,
      selects: ['ID'],
      start_time: w.run.start_time,
    } as never)
  },
  'evaluators.create': (w) => w.anEvaluator(),
  'evaluators.retrieve': async (w) => w.client.evaluators.retrieve(await w.anEvaluator()),
  'evaluators.update': async (w) => w.client.evaluators.update(await w.anEvaluator(), { name: 'Changed' }),
  'evaluators.delete': async (w) => w.client.evaluators.delete(await w.anEvaluator()),
  'evaluators.bulkDelete': async (w) => w.client.evaluators.bulkDelete({ evaluator_ids: [await w.anEvaluator()] }),
  'evaluators.spend': (w) => w.client.evaluators.spend({ period_start: '2026-11-16', group_by: 'evaluator' }),
  'evaluators.list': (w) => collect(w.client.evaluators.list()),
  'datasets.examples.delete': async (w) =>
    w.client.datasets.examples.delete((await w.anExample()).id, { dataset_id: w.dataset.id }),
  'agents.create': (w) => w.anAgent(),
  'agents.retrieve': async (w) => w.client.agents.retrieve(await w.anAgent()),
  'agents.update': async (w) => w.client.agents.update(await w.anAgent(), { name: 'Changed' }),
  'agents.list': (w) => collect(w.client.agents.list()),
  'agents.delete': async (w) => w.client.agents.delete(await w.anAgent()),
  'sessions.create': (w) => w.client.sessions.create({ name: `made-${Date.now()}` } as never),
  'sessions.retrieve': (w) => w.client.sessions.retrieve(w.projectId),
  'sessions.update': (w) => w.client.sessions.update(w.projectId, { description: 'changed' } as never),
  'sessions.delete': async (w) => w.client.sessions.delete((await w.aProject()).id),
  'sessions.listV2': (w) => collect(w.client.sessions.listV2({ id: [w.projectId] } as never)),
  'sessions.resolve': async (w) => {
    const id = await w.anAgent()
    await w.client.sessions.resolve({ kind: 'AGENT', id, environment: 'LOCAL' })
  },
  'annotationQueues.retrieve': (w) => w.client.annotationQueues.retrieve(w.queue.id),
  'annotationQueues.update': (w) => w.client.annotationQueues.update(w.queue.id, { description: 'changed' } as never),
  'annotationQueues.delete': async (w) => w.client.annotationQueues.delete((await w.aQueue()).id),
  'annotationQueues.annotationQueues': (w) =>
    w.client.annotationQueues.annotationQueues({ name: `made-${Date.now()}` } as never),
  'annotationQueues.retrieveAnnotationQueues': (w) =>
    collect(w.client.annotationQueues.retrieveAnnotationQueues({ limit: 1 } as never)),
  'annotationQueues.retrieveQueues': (w) => w.client.annotationQueues.retrieveQueues(w.run.id),
  'annotationQueues.retrieveRun': (w) => w.client.annotationQueues.retrieveRun(0, { queue_id: w.queue.id } as never),
  'annotationQueues.retrieveSize': (w) => w.client.annotationQueues.retrieveSize(w.queue.id),
  'annotationQueues.retrieveTotalArchived': (w) => w.client.annotationQueues.retrieveTotalArchived(w.queue.id),
  'annotationQueues.retrieveTotalSize': (w) => w.client.annotationQueues.retrieveTotalSize(w.queue.id),
  'annotationQueues.runs.create': async (w) =>
    w.client.annotationQueues.runs.create((await w.aQueue()).id, { body: [w.run.id] } as never),
  'annotationQueues.runs.list': (w) => w.client.annotationQueues.runs.list(w.queue.id),
  'annotationQueues.runs.createByKey': async (w) => {
    const { id, session_id, start_time, trace_id } = w.run
    const runs = [{ run_id: id, session_id, start_time, trace_id }]
    return w.client.annotationQueues.runs.createByKey((await w.aQueue()).id, { body: runs } as never)
  },
  'annotationQueues.runs.update': async (w) => {
    const { queueId, itemId } = await w.aQueueWithItem()
    const body = { queue_id: queueId, last_reviewed_time: new Date().toISOString() }
    return w.client.annotationQueues.runs.update(itemId, body as never)
  },
  'annotationQueues.runs.deleteAll': async (w) => {
    const { queueId } = await w.aQueueWithItem()
    return w.client.annotationQueues.runs.deleteAll(queueId, { run_ids: [w.run.id] } as never)
  },
  'annotationQueues.runs.deleteQueue': async (w) => {
    const { queueId, itemId } = await w.aQueueWithItem()
    return w.client.annotationQueues.runs.deleteQueue(itemId, { queue_id: queueId } as never)
  },
  'annotationQueues.createRunStatus': async (w) => {
    const { itemId } = await w.aQueueWithItem()
    return w.client.annotationQueues.createRunStatus(itemId, { status: 'viewed' } as never)
  },
  'annotationQueues.export': async (w) => {
    const { queueId } = await w.aQueueWithItem()
    return w.client.annotationQueues.export(queueId, {} as never)
  },
  'annotationQueues.populate': async (w) =>
    w.client.annotationQueues.populate({
      queue_id: (await w.aQueue()).id,
      session_ids: w.experiments.map(({ id }) => id),
    }),
  'annotationQueues.items.create': async (w) =>
    w.client.annotationQueues.items.create((await w.aQueue()).id, {
      items: [{ item_type: 'RUN', run_id: w.run.id, session_id: w.run.session_id! }],
    }),
  'annotationQueues.items.update': async (w) => {
    const { queueId, itemId } = await w.aQueueWithItem()
    const body = { queue_id: queueId, last_reviewed_time: new Date().toISOString() }
    return w.client.annotationQueues.items.update(itemId, body)
  },
  'annotationQueues.items.createStatus': async (w) => {
    const { itemId } = await w.aQueueWithItem()
    return w.client.annotationQueues.items.createStatus(itemId, { status: 'completed' })
  },
  'annotationQueues.items.deleteAll': async (w) => {
    const { queueId, itemId } = await w.aQueueWithItem()
    return w.client.annotationQueues.items.deleteAll(queueId, { item_ids: [itemId] })
  },
  'annotationQueues.items.retrievePlacement': async (w) => {
    const { queueId, itemId } = await w.aQueueWithItem()
    return w.client.annotationQueues.items.retrievePlacement(itemId, { queue_id: queueId })
  },
  'annotationQueues.items.list': (w) => collect(w.client.annotationQueues.items.list(w.queue.id, STATUS)),
  'annotationQueues.items.retrieveCount': (w) => w.client.annotationQueues.items.retrieveCount(w.queue.id, STATUS),
}
const STATUS = { status: 'needs_my_review' } as never

const CLOUD = 'rents machines of a cloud'

/** Methods without a call, and why. */
export const NOT_CALLED: Readonly<Record<string, string>> = {
  sandboxes: CLOUD,
  'sessions.dashboard': 'not served: the monitor of a project is a page, and dashboards have routes of their own',
}
