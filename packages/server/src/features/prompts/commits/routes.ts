import { ApiError, type CommitTagCreate, contract, TAG_NAME } from '@touchstone/contract'
import { sendJsonWithEtag, sendText } from '../../../http/responses.ts'
import type { Caller } from '../../../http/serve.ts'
import { type App, RawJson, serve } from '../../../http/serve.ts'
import { getRepo, isForeign, presentRepo, type RepoView } from '../index.ts'
import type { HistoryDeps } from './change-history.ts'
import { commitPrompt, forkRepo } from './commit-prompt.ts'
import { assertTag, findTag, removeTag, setTag, type TagRequest } from './move-tag.ts'
import { presentCommit, presentCommits, presentMove, presentSummary, presentTag, type Reader } from './present.ts'
import { countPull, getCommit, type PullDeps, pullCommit, wantsModel } from './pull-commit.ts'
import {
  countCommits,
  countMoves,
  selectCommits,
  selectHistory,
  selectLatestCommit,
  selectMoves,
  selectTags,
} from './store.ts'

export function promptCommitRoutes(app: App, deps: HistoryDeps & PullDeps): void {
  const { promptCommits, prompts } = contract
  const { db } = deps.relational

  serve(app, prompts.fork, async ({ caller, params, body }) => {
    const view = await forkRepo(deps, caller, params, body)
    return new RawJson(`{"repo":${presentRepo(view, caller)}}`)
  })

  serve(app, promptCommits.create, async ({ caller, params, body, bodyText }) => {
    const { commit, manifest } = await commitPrompt(deps, caller, params, { body, bodyText })
    return new RawJson(`{"commit":${presentCommit(commit, manifest, OWN_READER)}}`)
  })

  serve(app, promptCommits.list, async ({ caller, params, query, request, reply }) => {
    const view = await getRepo(deps, caller, params)
    const reader = toReader(view, caller)
    if (query.tag !== undefined && !TAG_NAME.test(query.tag)) return { commits: [], total: 0 }
    const total = await countCommits(db, view.row, query.tag)
    const rows = await selectCommits(db, view.row, query)
    const latest = isPullOfLatest(request.url) ? await selectLatestCommit(db, view.row) : undefined
    const options = { include_model: query.include_model ?? false, include: [], get_examples: false, is_view: false }
    const pulled = latest && (await pullCommit(deps, latest, options, reader))
    async function* all() {
      let begin = '{"commits":['
      for await (const texts of presentCommits(db, view.row.tenant_id, rows, reader)) {
        yield begin + texts.join(',')
        begin = ','
      }
      yield `${begin === ',' ? '' : begin}],"total":${total}${pulled === undefined ? '' : `,${pulled.slice(1, -1)}`}}`
    }
    return sendText(reply, all())
  })

  serve(app, promptCommits.read, async ({ caller, params, query, request, reply }) => {
    const view = await getRepo(deps, caller, params)
    const commit = await getCommit(deps, view.row, params.commit)
    const reader = toReader(view, caller)
    const pull = async () => {
      const pulled = await pullCommit(deps, commit, query, reader)
      await countPull(deps, commit, query)
      return pulled
    }
    // Examples are runs, which change; the rest of a commit never changes.
    const version = `${commit.commit_hash}${wantsModel(query) ? '-model' : ''}${reader.isForeign ? '-foreign' : ''}`
    if (query.get_examples) return new RawJson(await pull())
    return sendJsonWithEtag(request, reply, version, pull)
  })

  serve(app, promptCommits.history, async ({ caller, params, query }) => {
    const view = await getRepo(deps, caller, params)
    const reader = toReader(view, caller)
    const { rows, total } = await selectHistory(db, view.row, query)
    return { commits: rows.map((row) => presentSummary(row, reader)), total }
  })

  tagRoutes(app, deps)
}

function tagRoutes(app: App, deps: HistoryDeps): void {
  const { promptCommits } = contract
  const { db } = deps.relational

  serve(app, promptCommits.listTags, async ({ caller, params }) => {
    const { row } = await getRepo(deps, caller, params)
    return (await selectTags(db, row)).map(presentTag)
  })

  serve(app, promptCommits.createTag, async ({ caller, params, body }) => {
    return presentTag(await setTag(deps, caller, params, { tagName: body.tag_name, ...toMove(body) }))
  })

  serve(app, promptCommits.readTag, async ({ caller, params }) => {
    const { row } = await getRepo(deps, caller, params)
    return presentTag(assertTag(await findTag(deps, row, params.tag_name)))
  })

  serve(app, promptCommits.moveTag, async ({ caller, params, body }) => {
    const request = { tagName: params.tag_name, ...toMove(body), mustExist: true }
    return presentTag(await setTag(deps, caller, params, request))
  })

  serve(app, promptCommits.deleteTag, async ({ caller, params }) => {
    await removeTag(deps, caller, params, params.tag_name)
    return new RawJson('null')
  })

  serve(app, promptCommits.tagHistory, async ({ caller, params, query }) => {
    const view = await getRepo(deps, caller, params)
    const reader = toReader(view, caller)
    if (!TAG_NAME.test(params.tag_name)) throw new ApiError('NOT_FOUND', 'Tag not found')
    const moves = await selectMoves(db, view.row, params.tag_name, query)
    const total = await countMoves(db, view.row, params.tag_name)
    if (total === 0) throw new ApiError('NOT_FOUND', 'Tag not found')
    return { transitions: moves.map((move) => presentMove(move, reader)), total }
  })
}

function toMove(body: Omit<CommitTagCreate, 'tag_name'>): Omit<TagRequest, 'tagName'> {
  const { commit_id: commitId, expected_commit_id: expectedCommitId, skip_webhooks: skipWebhooks } = body
  return { commitId, expectedCommitId, skipWebhooks }
}

const OWN_READER: Reader = { isForeign: false, owner: null }

function toReader(view: RepoView, caller: Caller | undefined): Reader {
  return { isForeign: isForeign(view, caller), owner: view.owner }
}

/**
 * The Python client pulls `name:` with the path of the list, without a commit after it. Lists have an offset or a
 * limit; without either, the response also contains the fields of a pull. It does not count as one, because the caller
 * is unknown.
 */
function isPullOfLatest(url: string): boolean {
  const { searchParams } = new URL(url, 'http://localhost')
  return !['offset', 'limit', 'tag'].some((name) => searchParams.has(name))
}
