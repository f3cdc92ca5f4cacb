import { isUtf8 } from 'node:buffer'
import { ApiError, contract } from '@touchstone/contract'
import type { FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { boundaryOf, parseMultipart } from '../http/multipart.ts'
import { readBody } from '../http/read-body.ts'
import { type App, serveRaw } from '../http/serve.ts'
import { elementsOf, isArray, isObject, membersOf } from '../json/cut-json.ts'
import { collectParts } from './collect-parts.ts'
import type { RawRun } from './normalize.ts'
import { type ReceiveDeps, receive } from './receive.ts'

type IngestRouteDeps = ReceiveDeps & Pick<Deps, 'config'>

/** The write path: bodies are read as text and cut, never re-printed. */
export function ingestRoutes(app: App, deps: IngestRouteDeps): void {
  const { runs } = contract

  serveRaw(app, runs.create, async ({ request, caller }) => {
    const main = await readObject(deps, request)
    return receive(deps, caller, { runs: withChildren('post', main) }, 'Run created')
  })

  serveRaw(app, runs.update, async ({ request, caller, params }) => {
    const main = await readObject(deps, request)
    return receive(deps, caller, { runs: [{ kind: 'patch', id: params.run_id, main }] }, 'Run updated')
  })

  serveRaw(app, runs.batch, async ({ request, caller }) => {
    const members = membersOf(await readObject(deps, request))
    const posts = listOf(members, 'post').flatMap((main) => withChildren('post', main))
    const patches = listOf(members, 'patch').map((main): RawRun => ({ kind: 'patch', main }))
    return receive(deps, caller, { runs: [...posts, ...patches] }, 'Runs batch ingested')
  })

  serveRaw(app, runs.multipart, async ({ request, caller }) => {
    const boundary = boundaryOf(request.headers['content-type'])
    const body = await read(deps, request)
    const collected = collectParts(parseMultipart(body, boundary), deps.config.ingest)
    return receive(deps, caller, collected, 'Accepted')
  })
}

async function read(deps: IngestRouteDeps, request: FastifyRequest): Promise<Buffer> {
  const body = await readBody(request, { maxBytes: deps.config.ingest.maxBodyBytes })
  deps.metrics.ingested(0, body.length)
  return body
}

async function readObject(deps: IngestRouteDeps, request: FastifyRequest): Promise<string> {
  const body = await read(deps, request)
  if (!isUtf8(body)) throw new ApiError('INVALID_REQUEST', 'Bad request: the body is not valid UTF-8')
  const text = body.toString('utf8')
  try {
    JSON.parse(text)
  } catch (error) {
    throw new ApiError(
      'INVALID_REQUEST',
      `Bad request: the body is not valid JSON: ${(error as Error).message.slice(0, 200)}`,
    )
  }
  if (isObject(text)) return text
  throw new ApiError('INVALID_REQUEST', 'Bad request: the body is not a JSON object')
}

function listOf(members: ReadonlyMap<string, string>, key: 'post' | 'patch'): string[] {
  const text = members.get(key)
  if (text === undefined || text === 'null') return []
  if (isArray(text)) return elementsOf(text)
  throw new ApiError('INVALID_REQUEST', `Bad request: ${key} is not a list of runs`)
}

/** Old senders nest whole runs in `child_runs`; each is a run of its own. */
function withChildren(kind: 'post', main: string): RawRun[] {
  const run: RawRun = { kind, main }
  if (!main.includes('"child_runs"') || !isObject(main)) return [run]
  const children = membersOf(main).get('child_runs')
  if (children === undefined || !isArray(children)) return [run]
  return [run, ...elementsOf(children).flatMap((child) => withChildren(kind, child))]
}
