import { contract } from '@touchstone/contract'
import type { Chapter } from '../item.ts'
import {
  everyClient,
  everyClientsPrompts,
  everyClientsQueues,
  exampleCalls,
  feedbackCalls,
  langchainHub,
  promptCalls,
  pythonPrompts,
  queueCalls,
} from '../proofs.ts'

const { examples, feedback, feedbackTokens, annotationQueues, prompts, promptCommits } = contract

const changesQueues = [
  ...queueCalls('GET, PATCH and DELETE /annotation-queues/{id} read, change and delete one'),
  ...everyClientsQueues('live from their creation to their deletion'),
  ...pythonPrompts('lives from its creation to its deletion'),
]
const fillsQueues = [
  ...queueCalls('POST /annotation-queues/{id}/runs adds runs, which are read by index, counted and taken out'),
  ...everyClientsQueues('hold runs, which are read in order, counted and taken out'),
]
/** The whole life of a prompt, through each published client. */
const livesOfPrompts = [
  ...everyClientsPrompts('live from the first push to their deletion'),
  ...pythonPrompts('are pushed, found, liked, updated, archived and deleted'),
]
const readsExamples = exampleCalls('GET and DELETE /examples/{id} read one and delete it')
const tokens = feedbackCalls(
  'POST and GET /feedback/tokens give tokens, which expire after three hours unless it is said otherwise',
)

/** What people make, say and share, rather than what programs send. */
export const callsByPeople: Chapter[] = [
  {
    title: '7. Calls: examples',
    items: [
      {
        statement:
          'POST and PATCH datasets/{id}/examples, multipart, one part per example plus .inputs, .outputs, .attachment.{name} and .attachments_operations',
        methods: ['createExample', 'updateExample'],
        routes: [examples.upload, examples.patch],
        proofs: [
          ...exampleCalls(
            'POST and PATCH datasets/{id}/examples send a part per example, and one for each of its fields',
          ),
          ...everyClient('keep, rename and replace attachments on request'),
        ],
      },
      {
        statement: 'The same for many at once',
        methods: ['createExamples', 'updateExamples'],
        routes: [examples.upload, examples.patch],
        proofs: everyClient('are created, changed and deleted in bulk, in the order given'),
      },
      {
        statement:
          'GET /examples with dataset, as_of, inline_s3_urls (default true), id, splits, metadata, limit, offset, filter, select',
        methods: ['listExamples'],
        routes: [examples.list],
        proofs: exampleCalls(
          'GET /examples takes dataset, version, splits, ids, metadata, window, filter and what to select',
        ),
      },
      {
        statement: 'GET and DELETE /examples/{id}',
        methods: ['readExample', 'deleteExample'],
        routes: [examples.read, examples.delete],
        proofs: readsExamples,
      },
    ],
  },
  {
    title: '7. Calls: feedback',
    items: [
      {
        statement: 'POST /feedback',
        methods: ['createFeedback'],
        routes: [feedback.create],
        proofs: feedbackCalls('POST /feedback gives it with its source, of type api unless it is said otherwise'),
      },
      {
        statement: 'PATCH, GET and DELETE /feedback/{id}',
        methods: ['updateFeedback', 'readFeedback', 'deleteFeedback'],
        routes: [feedback.update, feedback.read, feedback.delete],
        proofs: feedbackCalls('PATCH, GET and DELETE /feedback/{id} change, read and delete it'),
      },
      {
        statement: 'GET /feedback with run, key, source',
        methods: ['listFeedback'],
        routes: [feedback.list],
        proofs: feedbackCalls('GET /feedback lists by run, key and source'),
      },
      {
        statement: 'POST and GET /feedback/tokens, with run_id',
        methods: ['createPresignedFeedbackToken', 'listPresignedFeedbackTokens'],
        routes: [feedbackTokens.create, feedbackTokens.list],
        proofs: tokens,
      },
    ],
  },
  {
    title: '7. Calls: annotation queues',
    items: [
      {
        statement: 'GET and POST /annotation-queues (limit at most 100)',
        methods: ['listAnnotationQueues', 'createAnnotationQueue'],
        routes: [annotationQueues.list, annotationQueues.create],
        proofs: queueCalls(
          'GET and POST /annotation-queues create a queue with its rubric, and list a hundred at a time',
        ),
      },
      {
        statement: 'GET, PATCH and DELETE /annotation-queues/{id}',
        methods: ['readAnnotationQueue', 'updateAnnotationQueue', 'deleteAnnotationQueue'],
        routes: [annotationQueues.read, annotationQueues.update, annotationQueues.delete],
        proofs: changesQueues,
      },
      {
        statement: 'POST /annotation-queues/{id}/runs, body a list of run ids',
        methods: ['addRunsToAnnotationQueue'],
        routes: [annotationQueues.addRuns],
        proofs: fillsQueues,
      },
      {
        statement: 'GET /annotation-queues/{id}/run/{index}',
        methods: ['getRunFromAnnotationQueue'],
        routes: [annotationQueues.readRun],
        proofs: fillsQueues,
      },
      {
        statement: 'DELETE /annotation-queues/{id}/runs/{queueRunId}',
        methods: ['deleteRunFromAnnotationQueue'],
        routes: [annotationQueues.deleteRun],
        proofs: fillsQueues,
      },
      {
        statement: 'GET /annotation-queues/{id}/size',
        methods: ['getSizeFromAnnotationQueue'],
        routes: [annotationQueues.size],
        proofs: fillsQueues,
      },
    ],
  },
  {
    title: '7. Calls: prompts',
    items: [
      {
        statement: 'GET /commits/{owner}/{repo}/?limit=1&offset=0',
        methods: ['createCommit', 'listCommits'],
        routes: [promptCommits.list],
        proofs: promptCalls(
          'POST /commits/{owner}/{repo} takes the latest commit for parent unless another is named',
          'GET /commits/{owner}/{repo} lists them, newest first',
        ),
      },
      {
        statement: 'GET /commits/{owner}/{repo}/{hash}, optional include_model',
        methods: ['pullPromptCommit'],
        routes: [promptCommits.read],
        proofs: [
          ...promptCalls('GET /commits/{owner}/{repo}/{hash} reads one, with its model when asked'),
          ...langchainHub(
            'pushes a prompt and pulls it ready to run, at every commit: %s',
            'pulls a prompt with its model, which then answers',
          ),
          ...pythonPrompts('pushes prompts and chains, and pulls them ready to run'),
        ],
      },
      {
        statement: 'POST /commits/{owner}/{repo}, body manifest, parent_commit',
        methods: ['createCommit'],
        routes: [promptCommits.create],
        proofs: [
          ...promptCalls('POST /commits/{owner}/{repo} takes the latest commit for parent unless another is named'),
          ...everyClientsPrompts('give a commit to one of two writers with the same parent'),
        ],
      },
      {
        statement: 'POST /likes/{owner}/{repo}, body like',
        methods: ['likePrompt', 'unlikePrompt'],
        routes: [prompts.like],
        proofs: [...promptCalls('POST /likes/{owner}/{repo} likes one and takes it back'), ...livesOfPrompts],
      },
      {
        statement:
          'GET /repos with sort_field (default updated_at), sort_direction (default desc), is_archived, is_public, query',
        methods: ['listPrompts'],
        routes: [prompts.list],
        proofs: promptCalls('GET /repos sorts by the last change unless it is said otherwise, and filters'),
      },
      {
        statement: 'GET, PATCH and DELETE /repos/{owner}/{repo}',
        methods: ['getPrompt', 'promptExists', 'updatePrompt', 'deletePrompt'],
        routes: [prompts.read, prompts.update, prompts.delete],
        proofs: [
          ...promptCalls('GET, PATCH and DELETE /repos/{owner}/{repo} read, change and delete one'),
          ...livesOfPrompts,
        ],
      },
      {
        statement: 'POST /repos/, body repo_handle, description, readme, tags, is_public',
        methods: ['createPrompt'],
        routes: [prompts.create],
        proofs: promptCalls(
          'POST /repos creates one with description, readme and tags, public where there is a handle',
        ),
      },
    ],
  },
]
