import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { assertUuid, uuid7 } from '../ids/uuid.ts'
import type {
  Example,
  ExampleConditions,
  ExampleCreate,
  ExampleQuery,
  ExampleStatus,
  ExamplesChanged,
  ExampleUpdate,
  KVMap,
  MetadataOperation,
} from '../schemas.ts'
import { Calls } from './calls.ts'
import { datasetOfExamples, ofDataset } from './dataset-key.ts'
import { createParts, updateParts } from './example-form.ts'
import {
  type CreateExampleOptions,
  exampleOf,
  examplesOf,
  isExampleCreate,
  type LegacyExamples,
} from './legacy-examples.ts'
import { type ListExamplesParams, pageExamples, readable, readExamples, sliced } from './list-examples.ts'
import { sendExamples, type UploadOptions } from './send-examples.ts'

export class ExampleCalls extends Calls {
  /**
   * Creates an example, with its attachments, as a new version of its dataset.
   *
   * @throws ConflictError when there is, or was, an example of that id
   */
  async createExample(
    example: ExampleCreate,
    outputs?: undefined,
    example_options?: undefined,
    options?: CallOptions,
  ): Promise<Example>
  async createExample(
    inputs: KVMap,
    outputs: KVMap | null | undefined,
    example: CreateExampleOptions,
    options?: CallOptions,
  ): Promise<Example>
  async createExample(
    inputsOrExample: KVMap | ExampleCreate,
    outputs?: KVMap | null,
    legacy?: CreateExampleOptions,
    options: CallOptions = {},
  ): Promise<Example> {
    if (isExampleCreate(inputsOrExample) && (outputs !== undefined || legacy !== undefined)) {
      throw new Error('Cannot provide outputs or options when using ExampleCreate object')
    }
    const example = isExampleCreate(inputsOrExample) ? inputsOrExample : exampleOf(inputsOrExample, outputs, legacy)
    const datasetId = await datasetOfExamples(this.transport, [example], options)
    const parts = [createParts(example, example.id ?? uuid7())]
    const sending = { ...options, method: 'POST', total: 1 } as const
    const { example_ids } = await summed(sendExamples(this.transport, datasetId, parts, sending))
    return await this.readExample(example_ids[0]!, options)
  }

  /**
   * Creates examples of one dataset. Up to 1,000 of 16 MB together are stored in one version, all or none; more travel in
   * several requests, one after the other, each a version of its own, reported by `onProgress`.
   *
   * @returns the examples as they are stored, in the order given. To upload very many, `uploadExamplesMultipart` reads
   * nothing back
   */
  async createExamples(examples: ExampleCreate[], options?: UploadOptions): Promise<Example[]>
  /** @param columns lists of the same length, one per field */
  async createExamples(columns: LegacyExamples, options?: UploadOptions): Promise<Example[]>
  async createExamples(given: ExampleCreate[] | LegacyExamples, options: UploadOptions = {}): Promise<Example[]> {
    const { onProgress, ...rest } = options
    const examples = Array.isArray(given) ? given : examplesOf(given)
    if (examples.length === 0) return []
    const datasetId = await datasetOfExamples(this.transport, examples, rest)
    const parts = examples.map((example) => createParts(example, example.id ?? uuid7()))
    const sending = { ...rest, onProgress, method: 'POST', total: parts.length } as const
    const created: Example[] = []
    for await (const { example_ids, as_of } of sendExamples(this.transport, datasetId, parts, sending)) {
      for (const one of await readExamples(this.transport, datasetId, example_ids, as_of, rest)) created.push(one)
    }
    return created
  }

  /** An example of a completion: `{ input }` and `{ output }`. */
  async createLLMExample(
    input: string,
    generation: string | undefined,
    example: CreateExampleOptions,
    options?: CallOptions,
  ): Promise<Example> {
    return await this.createExample({ input }, { output: generation }, example, options)
  }

  /** An example of a chat; messages of LangChain take the form in which they are kept, others stay as they are. */
  async createChatExample(
    messages: (KVMap | ChatMessageLike)[],
    generation: KVMap | ChatMessageLike | undefined,
    example: CreateExampleOptions,
    options?: CallOptions,
  ): Promise<Example> {
    const output = generation && chatMessage(generation)
    return await this.createExample({ input: messages.map(chatMessage) }, { output }, example, options)
  }

  /** @throws NotFoundError when there is no such example, or no longer */
  async readExample(exampleId: string, options: CallOptions = {}): Promise<Example> {
    assertUuid(exampleId)
    const request = { params: { example_id: exampleId }, ...options }
    return readable(await this.transport.call(routes.examples.read, request))
  }

  /** Every matching example, fetched a page at a time: `for await (const example of client.listExamples({ … }))`. */
  async *listExamples(params: ListExamplesParams, options: CallOptions = {}): AsyncGenerator<Example> {
    yield* pageExamples(this.transport, params, options)
  }

  /** One page of `GET /examples`, with every query parameter of the endpoint. An extension of ours. */
  async queryExamples(query: ExampleQuery, options: CallOptions = {}): Promise<Example[]> {
    const all = { ...query, metadata: query.metadata && JSON.stringify(query.metadata) }
    const request = { query: all, ...options }
    return (await this.transport.call(routes.examples.list, request)).map(readable)
  }

  /** How many examples a list would have. An extension of ours. */
  async countExamples(query: ExampleConditions, options: CallOptions = {}): Promise<number> {
    const all = { ...query, metadata: query.metadata && JSON.stringify(query.metadata) }
    return await this.transport.call(routes.examples.count, { query: all, ...options })
  }

  /** Changes an example as a new version of its dataset, which is looked up unless `dataset_id` is given. */
  async updateExample(update: ExampleUpdate, options?: CallOptions): Promise<ExamplesChanged>
  /** @deprecated put the id into the update */
  async updateExample(
    exampleId: string,
    update: Omit<ExampleUpdate, 'id'>,
    options?: CallOptions,
  ): Promise<ExamplesChanged>
  async updateExample(
    idOrUpdate: string | ExampleUpdate,
    updateOrOptions: Omit<ExampleUpdate, 'id'> | CallOptions = {},
    options: CallOptions = {},
  ): Promise<ExamplesChanged> {
    if (typeof idOrUpdate !== 'string') return await this.updateExamples([idOrUpdate], updateOrOptions as CallOptions)
    return await this.updateExamples([{ ...updateOrOptions, id: idOrUpdate }], options)
  }

  /** Changes examples of one dataset; up to 1,000 of 16 MB together in one version, all or none. */
  async updateExamples(updates: ExampleUpdate[], options: UploadOptions = {}): Promise<ExamplesChanged> {
    const [first] = updates
    if (first === undefined) return { count: 0, example_ids: [] }
    for (const { id } of updates) assertUuid(id)
    const { onProgress: _, ...rest } = options
    const datasetId = first.dataset_id ?? (await this.readExample(first.id, rest)).dataset_id
    return await this.updateExamplesMultipart(datasetId, updates, options)
  }

  /**
   * Creates examples from a list or a stream of any length, a thousand at a time: what `onProgress` counts is stored, and
   * nothing is read back.
   *
   * @returns ids in the order given, and the last version made
   */
  async uploadExamplesMultipart(
    datasetId: string,
    examples: Iterable<ExampleCreate> | AsyncIterable<ExampleCreate> = [],
    options: UploadOptions = {},
  ): Promise<ExamplesChanged> {
    assertUuid(datasetId)
    const create = (example: ExampleCreate) => createParts(example, example.id ?? uuid7())
    const sending = { ...options, method: 'POST', total: lengthOf(examples) } as const
    return await summed(sendExamples(this.transport, datasetId, mapped(examples, datasetId, create), sending))
  }

  /** The same for changes. */
  async updateExamplesMultipart(
    datasetId: string,
    updates: Iterable<ExampleUpdate> | AsyncIterable<ExampleUpdate> = [],
    options: UploadOptions = {},
  ): Promise<ExamplesChanged> {
    assertUuid(datasetId)
    const sending = { ...options, method: 'PATCH', total: lengthOf(updates) } as const
    return await summed(sendExamples(this.transport, datasetId, mapped(updates, datasetId, updateParts), sending))
  }

  /**
   * Changes keys of the metadata, or the splits, of examples of one dataset: 10,000 at a time, each in one version. An
   * extension of ours.
   *
   * @returns for each example whether it was found and changed, in the order given
   */
  async updateExamplesMetadata(
    datasetId: string,
    exampleIds: string[],
    operations: MetadataOperation[],
    options: CallOptions = {},
  ): Promise<ExampleStatus[]> {
    assertUuid(datasetId)
    for (const [index, id] of exampleIds.entries()) assertUuid(id, `exampleIds[${index}]`)
    const statuses: ExampleStatus[] = []
    for (const example_ids of sliced(exampleIds, 10_000)) {
      const request = { params: { dataset_id: datasetId }, body: { example_ids, operations }, ...options }
      const answer = await this.transport.call(routes.examples.updateMetadata, {
        ...request,
        doing: 'update metadata of examples',
      })
      statuses.push(...answer.statuses)
    }
    return statuses
  }

  /** Deletes an example from the newest version on; older versions keep it. */
  async deleteExample(exampleId: string, options: CallOptions = {}): Promise<void> {
    assertUuid(exampleId)
    await this.transport.send(routes.examples.delete, {
      params: { example_id: exampleId },
      ...options,
    })
  }

  /**
   * Deletes examples: 200 (or 1,000, when erased) at a time, of which all or none go, in one version.
   *
   * @param deletion `hardDelete` erases their content from every version. @default false
   */
  async deleteExamples(
    exampleIds: string[],
    deletion: { hardDelete?: boolean | undefined } = {},
    options: CallOptions = {},
  ): Promise<void> {
    for (const [index, id] of exampleIds.entries()) assertUuid(id, `exampleIds[${index}]`)
    if (deletion.hardDelete) {
      for (const example_ids of sliced(exampleIds, 1000)) {
        const body = { example_ids, hard_delete: true }
        await this.transport.call(routes.examples.hardDelete, { body, doing: 'hard delete examples', ...options })
      }
      return
    }
    // More would make the URL longer than servers take.
    for (const example_ids of sliced(exampleIds, 200)) {
      const query = { example_ids }
      await this.transport.send(routes.examples.deleteMany, { query, doing: 'delete examples', ...options })
    }
  }
}

async function* mapped<T extends { dataset_id?: string | undefined }, U>(
  items: Iterable<T> | AsyncIterable<T>,
  datasetId: string,
  map: (item: T) => U,
): AsyncGenerator<U> {
  let at = 0
  for await (const item of items) yield map(ofDataset(item, datasetId, at++))
}

async function summed(answers: AsyncIterable<ExamplesChanged>): Promise<ExamplesChanged> {
  const ids: string[][] = []
  let asOf: string | undefined
  for await (const { example_ids, as_of } of answers) {
    ids.push(example_ids)
    asOf = as_of ?? asOf
  }
  const example_ids = ids.flat()
  return { count: example_ids.length, example_ids, as_of: asOf }
}

function lengthOf(items: object): number | undefined {
  return Array.isArray(items) ? items.length : undefined
}

/** What a message of LangChain has; nothing of that package is imported. */
interface ChatMessageLike {
  _getType(): string
  content: unknown
  additional_kwargs?: Record<string, unknown> | undefined
}

/** `{ type, data: { content, additional_kwargs? } }` of a message of LangChain; anything else as it is. */
function chatMessage(message: KVMap | ChatMessageLike): KVMap {
  if (typeof message._getType !== 'function') return message
  const { content, additional_kwargs } = message
  const hasMore = additional_kwargs !== undefined && Object.keys(additional_kwargs).length > 0
  const data = { content, ...(hasMore && { additional_kwargs: { ...additional_kwargs } }) }
  return { type: message._getType(), data }
}
