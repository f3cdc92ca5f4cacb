import { contract } from '@touchstone/contract'
import { type Chapter, proofsIn } from '../item.ts'
import { datasetCalls, everyClient, exampleCalls, feedbackCalls, promptCalls, queueCalls, retries } from '../proofs.ts'

const { feedbackTokens, annotationQueues, datasets, promptCommits, examples } = contract

const retryUnits = proofsIn('packages/sdk/src/transport/retry.test.ts')
const transportUnits = proofsIn('packages/sdk/src/transport/transport.test.ts')
const limits = proofsIn('e2e/parity/constants.test.ts')

export const constants: Chapter = {
  title: '9. Business constants and limits',
  items: [
    {
      statement: 'Request time-out is set by the client (timeout_ms)',
      methods: [],
      routes: [],
      proofs: [
        ...retries('is not repeated after an abort, nor after its time is up'),
        ...transportUnits('does not repeat after a time-out'),
      ],
    },
    {
      statement: 'Default feedback token expiry: 3 hours',
      methods: ['createPresignedFeedbackToken'],
      routes: [feedbackTokens.create],
      proofs: feedbackCalls(
        'POST and GET /feedback/tokens give tokens, which expire after three hours unless it is said otherwise',
      ),
    },
    {
      statement: 'Annotation queue page limit: at most 100',
      methods: ['listAnnotationQueues'],
      routes: [annotationQueues.list],
      proofs: [
        ...queueCalls('GET and POST /annotation-queues create a queue with its rubric, and list a hundred at a time'),
        ...limits('a page of annotation queues has at most a hundred'),
      ],
    },
    {
      statement: 'Default dataset list limit: 100; offset 0',
      methods: ['listDatasets'],
      routes: [datasets.list],
      proofs: datasetCalls(
        'GET /datasets and /datasets/{id} read one, and list by limit, offset, id, name, part of it and metadata',
      ),
    },
    {
      statement: 'Prompt hash in links: shortened to 8 characters',
      methods: ['createCommit'],
      routes: [promptCommits.create],
      proofs: promptCalls('of the caller’s own leads to /prompts, with eight characters of the commit'),
    },
    {
      statement: 'Retries: 6 by default',
      methods: [],
      routes: [],
      proofs: retries('is repeated six times and no more'),
    },
    {
      statement: 'Retries have randomized backoff',
      methods: [],
      routes: [],
      proofs: retryUnits('doubles, at random between once and twice'),
    },
    {
      statement: 'Calls have unlimited concurrency',
      methods: ['readDataset'],
      routes: [datasets.read],
      proofs: limits('calls go side by side, as many as there are'),
    },
    {
      statement: 'Inline S3 URLs default to true',
      methods: ['listExamples'],
      routes: [examples.list],
      proofs: exampleCalls(
        'GET /examples takes dataset, version, splits, ids, metadata, window, filter and what to select',
      ),
    },
    {
      statement: 'Attachment names carry the prefix `attachment.`',
      methods: ['createExample', 'readExample'],
      routes: [examples.upload, examples.read],
      proofs: [
        ...exampleCalls(
          'POST and PATCH datasets/{id}/examples send a part per example, and one for each of its fields',
        ),
        ...everyClient('come back as they were given, field by field'),
      ],
    },
  ],
}
