import { ApiError, contract } from '@touchstone/contract'
import { eachElement } from '@touchstone/formats/cut-json'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../../deps.ts'
import { getOrigin } from '../../../http/request-origin.ts'
import { jsonList, sendText } from '../../../http/responses.ts'
import { type App, RawJson, serve, serveRaw } from '../../../http/serve.ts'
import { getFirst } from '../../../storage/relational/migrate.ts'
import { mapInSlices } from '../../../time-slices.ts'
import { createAttachmentSigner } from '../../attachments/index.ts'
import { changeMetadata } from './change-metadata.ts'
import { createExamples, readInOrder, validateExamples } from './create-examples.ts'
import {
  countExamples,
  type ExampleRow,
  type FoundExamples,
  findExamples,
  loadExamples,
  presentExample,
  presentFields,
  readExamples,
  type ToUrl,
} from './read-examples.ts'
import { deleteExampleOfDataset, deleteExamples, eraseExamples, updateExamples } from './update-examples.ts'
import { patchExamples, type UploadDeps, uploadExamples, upsertExamples } from './upload-examples.ts'

type ExampleDeps = UploadDeps & Pick<Deps, 'config'>

export function exampleRoutes(app: App, deps: ExampleDeps): void {
  const { examples } = contract

  serveRaw(app, examples.upload, ({ caller, params, request }) =>
    uploadExamples(deps, caller.tenantId, params.dataset_id, request),
  )

  serveRaw(app, examples.patch, ({ caller, params, request }) =>
    patchExamples(deps, caller.tenantId, params.dataset_id, request),
  )

  serve(app, examples.updateMetadata, async ({ caller, params, body, bodyText }) => {
    const known = await changeMetadata(deps, caller.tenantId, params.dataset_id, body, bodyText)
    const toStatus = (id: string) =>
      known.has(id) ? { id, status: 'UPDATED' } : { id, status: 'NOT_FOUND', description: 'Example not found' }
    return { statuses: body.example_ids.map(toStatus) }
  })

  serveRaw(app, examples.upsert, ({ caller, request }) => upsertExamples(deps, caller.tenantId, request))

  serve(app, examples.create, async ({ caller, body, bodyText }) => {
    const id = await createExamples(deps, caller.tenantId, [{ body, text: bodyText }])
    return presentFirst(await readExamples(deps, caller.tenantId, { id, limit: 1 }))
  })

  serve(app, examples.createMany, async ({ caller, body, bodyText, reply }) => {
    const given = (await toPairs(body, bodyText)).map((one) => ({ ...one, replaces: true }))
    const ids = await createExamples(deps, caller.tenantId, given)
    return sendText(reply, jsonList(presentAll(readInOrder(deps, caller.tenantId, ids))))
  })

  serve(app, examples.validate, async ({ caller, body, bodyText }) => {
    return presentFirst(await validateExamples(deps, caller.tenantId, [{ body, text: bodyText }]))
  })

  serve(app, examples.validateMany, async ({ caller, body, bodyText }) => {
    const rows = await validateExamples(deps, caller.tenantId, await toPairs(body, bodyText))
    return new RawJson(`[${(await mapInSlices(rows, (row) => presentExample(row))).join(',')}]`)
  })

  readRoutes(app, deps)
  changeRoutes(app, deps)
}

function readRoutes(app: App, deps: ExampleDeps): void {
  const { examples } = contract

  serve(app, examples.list, async ({ caller, query, request, reply }) => {
    const page = await findExamples(deps, caller.tenantId, query)
    const toUrl = query.select?.includes('attachment_urls')
      ? await createToUrl(deps, caller.tenantId, request)
      : undefined
    const fields = query.exclude_default_fields ? new Set(query.select) : undefined
    return sendPage(reply, presentPage(deps, caller.tenantId, page, { toUrl, fields }), page)
  })

  serve(app, examples.count, async ({ caller, query }) => {
    return new RawJson(String(await countExamples(deps, caller.tenantId, query)))
  })

  serve(app, examples.read, async ({ caller, params, query, request }) => {
    const [row] = await readExamples(deps, caller.tenantId, { ...query, id: [params.example_id], limit: 1 })
    if (row === undefined) throw new ApiError('NOT_FOUND', 'Example not found')
    return new RawJson(presentExample(row, await createToUrl(deps, caller.tenantId, request)))
  })
}

function changeRoutes(app: App, deps: ExampleDeps): void {
  const { examples } = contract

  serve(app, examples.updateMany, async ({ caller, body, bodyText }) => {
    await updateExamples(deps, caller.tenantId, await toPairs(body, bodyText))
    return { message: `${body.length} examples updated`, count: body.length }
  })

  serve(app, examples.update, async ({ caller, params, body, bodyText }) => {
    await updateExamples(deps, caller.tenantId, [{ body: { ...body, id: params.example_id }, text: bodyText }])
    return { message: 'Example updated', count: 1 }
  })

  serve(app, examples.delete, async ({ caller, params }) => {
    await deleteExamples(deps, caller.tenantId, [params.example_id])
    return new RawJson('null')
  })

  serve(app, examples.deleteOfDataset, async ({ caller, params, reply }) => {
    await deleteExampleOfDataset(deps, caller.tenantId, params)
    return reply.code(204).send()
  })

  serve(app, examples.deleteMany, async ({ caller, query }) => {
    if (!query.example_ids?.length) throw new ApiError('INVALID_REQUEST', 'Select examples with example_ids.')
    await deleteExamples(deps, caller.tenantId, query.example_ids)
    return new RawJson('null')
  })

  serve(app, examples.hardDelete, async ({ caller, body }) => {
    if (body.hard_delete !== true) {
      throw new ApiError('INVALID_REQUEST', 'hard_delete must be true: this erases examples from every version.')
    }
    await eraseExamples(deps, caller.tenantId, body.example_ids, caller.actorName)
    return { count: new Set(body.example_ids).size, example_ids: [...new Set(body.example_ids)] }
  })
}

const presentFirst = (rows: readonly ExampleRow[]) => new RawJson(presentExample(getFirst(rows)))

async function* presentAll(pages: AsyncIterable<readonly ExampleRow[]>): AsyncGenerator<string[]> {
  for await (const rows of pages) yield rows.map((row) => presentExample(row))
}

/** Pairs each body with its JSON text. */
function toPairs<Body>(
  bodies: readonly Body[],
  text: string,
): Promise<{ readonly body: Body; readonly text: string }[]> {
  const texts = eachElement(text)
  return mapInSlices(bodies, (body) => ({ body, text: texts.next().value ?? '' }))
}

async function createToUrl(deps: ExampleDeps, tenantId: string, request: FastifyRequest): Promise<ToUrl> {
  const origin = getOrigin(deps.config, request)
  const toPath = await createAttachmentSigner(deps, tenantId)
  return (...of) => origin + toPath(...of)
}

async function* presentPage(
  deps: ExampleDeps,
  tenantId: string,
  page: FoundExamples,
  { toUrl, fields }: { readonly toUrl: ToUrl | undefined; readonly fields: ReadonlySet<string> | undefined },
): AsyncGenerator<string[]> {
  for await (const rows of loadExamples(deps, tenantId, page, fields)) {
    yield rows.map((row) => (fields === undefined ? presentExample(row, toUrl) : presentFields(row, fields, toUrl)))
  }
}

/** A page of large examples exceeds the length of a string, so it is streamed. */
const STREAM_FROM_BYTES = 8 * 1024 * 1024

async function sendPage(reply: FastifyReply, page: AsyncGenerator<string[]>, { found }: FoundExamples) {
  const pieces = jsonList(page)
  if (found.reduce((sum, row) => sum + row.bytes, 0) >= STREAM_FROM_BYTES) return sendText(reply, pieces)
  let text = ''
  for await (const piece of pieces) text += piece
  return new RawJson(text)
}
