import { z } from 'zod'
import { Uuid } from '../ids.ts'
import { queryList } from '../page.ts'
import { route } from '../route.ts'
import { Time } from '../time.ts'
import {
  AnnotationQueue,
  AnnotationQueueCreate,
  AnnotationQueueListQuery,
  AnnotationQueueUpdate,
  AnnotationQueueWithRubric,
  ListedAnnotationQueue,
} from './queues.ts'
import { QueueSize, ReviewStatus } from './runs.ts'

const queueId = z.object({ queue_id: Uuid })
const ofStatus = z.object({ status: ReviewStatus.optional() })
const tag = 'annotation queues'

export const queueRoutes = {
  list: route({
    method: 'GET',
    path: '/annotation-queues',
    tag,
    summary: 'Annotation queues of the workspace',
    query: AnnotationQueueListQuery,
    answer: z.array(ListedAnnotationQueue),
  }),
  create: route({
    method: 'POST',
    path: '/annotation-queues',
    access: 'write',
    tag,
    summary: 'Create an annotation queue; 409 when the id is taken',
    body: AnnotationQueueCreate,
    answer: AnnotationQueue,
  }),
  deleteMany: route({
    method: 'DELETE',
    path: '/annotation-queues',
    access: 'write',
    tag,
    summary: 'Delete up to 100 annotation queues; 207 when some of them are not there',
    query: z.object({ queue_ids: queryList(Uuid) }),
  }),
  read: route({
    method: 'GET',
    path: '/annotation-queues/{queue_id}',
    tag,
    summary: 'One annotation queue with its rubric',
    params: queueId,
    answer: AnnotationQueueWithRubric,
  }),
  update: route({
    method: 'PATCH',
    path: '/annotation-queues/{queue_id}',
    access: 'write',
    tag,
    summary: 'Change an annotation queue',
    params: queueId,
    body: AnnotationQueueUpdate,
    answer: AnnotationQueueWithRubric,
  }),
  delete: route({
    method: 'DELETE',
    path: '/annotation-queues/{queue_id}',
    access: 'write',
    tag,
    summary: 'Delete an annotation queue; its runs stay',
    params: queueId,
    answer: z.null(),
  }),
  size: route({
    method: 'GET',
    path: '/annotation-queues/{queue_id}/size',
    tag,
    summary: 'How many runs are in a section for the caller; without one, how many are not completed',
    params: queueId,
    query: ofStatus,
    answer: QueueSize,
  }),
  totalSize: route({
    method: 'GET',
    path: '/annotation-queues/{queue_id}/total_size',
    tag,
    summary: 'How many runs a queue has, the completed ones too',
    params: queueId,
    answer: QueueSize,
  }),
  totalArchived: route({
    method: 'GET',
    path: '/annotation-queues/{queue_id}/total_archived',
    tag,
    summary: 'How many runs of a queue are completed, from `start_time` on and before `end_time`',
    params: queueId,
    query: z.object({ start_time: Time.optional(), end_time: Time.optional() }),
    answer: QueueSize,
  }),
}
