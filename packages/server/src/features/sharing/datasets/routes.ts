import { contract } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { getOrigin, withOrigin } from '../../../http/request-origin.ts'
import { jsonList, sendText } from '../../../http/responses.ts'
import { type App, RawJson, serve } from '../../../http/serve.ts'
import { revokePublicLinks } from '../../../storage/relational/public-links.ts'
import type { DatasetShareRow } from '../../../storage/relational/tables/sharing.ts'
import { createAttachmentSigner } from '../../attachments/index.ts'
import { countExamples, type FoundExamples, findExamples, loadExamples } from '../../datasets/examples/index.ts'
import { getDataset } from '../../datasets/index.ts'
import { listComparisons } from '../../experiments/index.ts'
import { listFeedback } from '../../feedback/index.ts'
import type { StatsDeps } from '../../projects/index.ts'
import { selectDatasetShare, shareDataset } from '../share-links.ts'
import {
  checkExampleFilter,
  checkProjectFilter,
  checkRunFilters,
  omitMembers,
  openDatasetShare,
  presentPublicDataset,
  presentPublicExample,
  presentPublicProject,
  selectRequestedExperimentIds,
} from './dataset-share.ts'
import {
  comparePublicExperiments,
  listPublicSessions,
  listSessionsInBulk,
  queryPublicRuns,
  readPublicCells,
  readPublicDeltas,
  readPublicExampleRuns,
  readPublicRun,
  readPublicStats,
  searchPublicExperiments,
} from './public-experiments.ts'

export type DatasetSharingDeps = Pick<Deps, 'relational' | 'analytics' | 'clock' | 'config' | 'caches'> & StatsDeps

export function datasetSharingRoutes(app: App, deps: DatasetSharingDeps): void {
  const { datasetSharing } = contract
  const present = ({ dataset_id, share_token }: DatasetShareRow) => ({ dataset_id, share_token })

  serve(app, datasetSharing.share, async ({ caller, params, query }) => {
    const { id } = await getDataset(deps, caller.tenantId, params.dataset_id)
    return present(await shareDataset(deps, caller.tenantId, id, query.share_projects))
  })

  serve(app, datasetSharing.readShare, async ({ caller, params }) => {
    const { id } = await getDataset(deps, caller.tenantId, params.dataset_id)
    const share = await selectDatasetShare(deps.relational.db, caller.tenantId, id)
    return share === undefined ? new RawJson('null') : present(share)
  })

  serve(app, datasetSharing.unshare, async ({ caller, params }) => {
    const { id } = await getDataset(deps, caller.tenantId, params.dataset_id)
    await revokePublicLinks(deps.relational.db, caller.tenantId, { by: 'dataset', ids: [id] })
    return new RawJson('null')
  })

  publicDatasetRoutes(app, deps)
  publicExperimentRoutes(app, deps)
}

/** Routes without a key: a token gives access to its dataset and nothing else. */
function publicDatasetRoutes(app: App, deps: DatasetSharingDeps): void {
  const { datasetSharing } = contract

  serve(app, datasetSharing.publicDataset, async ({ params }) => {
    const { dataset } = await openDatasetShare(deps, params.share_token)
    return new RawJson(presentPublicDataset(dataset))
  })

  serve(app, datasetSharing.publicExamples, async ({ params, query, request, reply }) => {
    const { tenantId, dataset, token } = await openDatasetShare(deps, params.share_token)
    checkExampleFilter(query.filter)
    const page = await findExamples(deps, tenantId, { ...query, dataset: dataset.id })
    const toPath = await createAttachmentSigner(deps, tenantId, { kind: 'dataset', token })
    const origin = getOrigin(deps.config, request)
    return sendText(reply, jsonList(presented(tenantId, page, (...of) => origin + toPath(...of))))
  })

  async function* presented(
    tenantId: string,
    page: FoundExamples,
    toUrl: Parameters<typeof presentPublicExample>[1],
  ): AsyncGenerator<string[]> {
    for await (const rows of loadExamples(deps, tenantId, page)) {
      yield rows.map((row) => presentPublicExample(row, toUrl))
    }
  }

  serve(app, datasetSharing.publicExampleCount, async ({ params, query }) => {
    const { tenantId, dataset } = await openDatasetShare(deps, params.share_token)
    checkExampleFilter(query.filter)
    return new RawJson(String(await countExamples(deps, tenantId, { ...query, dataset: dataset.id })))
  })
}

/** Experiments are public only when the share includes them. */
function publicExperimentRoutes(app: App, deps: DatasetSharingDeps): void {
  const { datasetSharing } = contract

  serve(app, datasetSharing.publicSessions, async ({ params, query }) => {
    const share = await openDatasetShare(deps, params.share_token)
    checkProjectFilter(query.filter)
    checkRunFilters(query.stats_filter)
    const found = await listPublicSessions(deps, share, query)
    return new RawJson(`[${found.map(presentPublicProject).join(',')}]`)
  })

  serve(app, datasetSharing.publicSessionsBulk, async ({ query }) => {
    const found = await listSessionsInBulk(deps, query.share_tokens)
    return new RawJson(`[${found.map(presentPublicProject).join(',')}]`)
  })

  serve(app, datasetSharing.publicComparative, async ({ params, query }) => {
    const { tenantId, dataset, sharesProjects } = await openDatasetShare(deps, params.share_token)
    const found = sharesProjects ? await listComparisons(deps, tenantId, dataset.id, query) : []
    return new RawJson(`[${found.map((text) => omitMembers(text, ['tenant_id', 'reference_dataset_id'])).join(',')}]`)
  })

  serve(app, datasetSharing.publicExampleRuns, async ({ params, body, request, reply }) => {
    const share = await openDatasetShare(deps, params.share_token)
    checkRunFilters(...Object.values(body.filters ?? {}).flat())
    return sendText(reply, jsonList(readPublicExampleRuns(withOrigin(deps, request), share, body)))
  })

  serve(app, datasetSharing.publicDeltas, async ({ params, body }) => {
    const share = await openDatasetShare(deps, params.share_token)
    checkRunFilters(...Object.values(body.filters ?? {}).flat())
    return { feedback_deltas: await readPublicDeltas(deps, share, body) }
  })

  serve(app, datasetSharing.publicStatistics, async ({ params, body }) =>
    comparePublicExperiments(deps, await openDatasetShare(deps, params.share_token), body),
  )

  serve(app, datasetSharing.publicCells, async ({ params, body }) =>
    readPublicCells(deps, await openDatasetShare(deps, params.share_token), body),
  )

  serve(app, datasetSharing.publicSearch, async ({ params, body }) => {
    const share = await openDatasetShare(deps, params.share_token)
    return { example_ids: await searchPublicExperiments(deps, share, body) }
  })

  serve(app, datasetSharing.publicFeedback, async ({ params, query }) => {
    const share = await openDatasetShare(deps, params.share_token)
    const session = await selectRequestedExperimentIds(deps, share, query.session)
    if (session.length === 0) return new RawJson('[]')
    return listFeedback(deps, share.tenantId, { ...query, session })
  })

  serve(app, datasetSharing.publicRuns, async ({ params, body, request }) => {
    const share = await openDatasetShare(deps, params.share_token)
    checkRunFilters(body.filter, body.search_filter)
    return new RawJson(await queryPublicRuns(withOrigin(deps, request), share, body))
  })

  serve(app, datasetSharing.publicRunStats, async ({ params, body }) => {
    const share = await openDatasetShare(deps, params.share_token)
    checkRunFilters(body.filter, body.search_filter)
    return readPublicStats(deps, share, body)
  })

  serve(app, datasetSharing.publicGenerateQuery, async ({ params, body }) => {
    await openDatasetShare(deps, params.share_token)
    return { filter: `search(${JSON.stringify(body.query)})`, feedback_urls: {} }
  })

  serve(app, datasetSharing.publicRun, async ({ params, query, request }) => {
    const share = await openDatasetShare(deps, params.share_token)
    const options = { withoutPayloads: query.exclude_s3_stored_attributes }
    return new RawJson(await readPublicRun(withOrigin(deps, request), share, params.run_id, options))
  })
}
