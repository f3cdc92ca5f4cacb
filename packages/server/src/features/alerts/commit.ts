import { type AlertPoint, timeOfEpochMs } from '@touchstone/contract'
import { and, eq } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import type { Database } from '../../storage/relational/port.ts'
import { workspaces } from '../../storage/relational/tables/accounts.ts'
import { type AlertRow, alertEpisodes } from '../../storage/relational/tables/alerts.ts'
import { type NoticeDeps, sendNotice } from '../notifications/index.ts'
import { selectProjectNames } from '../projects/index.ts'
import type { Evaluated } from './evaluate.ts'
import { type NoticeContext, toNotice } from './notices.ts'
import { readDefinition, SentNotices } from './present.ts'
import { presentPoint } from './preview.ts'
import type { Replayed } from './replay.ts'
import type { Notified, OpenEpisode } from './state/machine.ts'

type CommitDeps = NoticeDeps & Pick<Deps, 'config'>

/** The groups that a notice names, with the window that they belong to. */
export type Largest = ReadonlyMap<number, NoticeContext['groups']>

/**
 * Stores what became of an alert: its episodes, and the notices about them, whose deliveries are part of the transaction.
 * The caller stores the state.
 */
export async function commitProgress(
  deps: CommitDeps,
  tx: Database,
  row: AlertRow,
  { progress, notified, ended, peaks }: Replayed,
  evaluated: readonly Evaluated[] = [],
  largest: Largest = new Map(),
): Promise<void> {
  const open = progress.episode
  const episodes = [
    ...ended.map(({ episode, at }) => ({ episode, endedAt: at })),
    ...(open ? [{ episode: open, endedAt: null }] : []),
  ]
  for (const { episode, endedAt } of episodes) {
    await upsertEpisode(tx, row, episode, { endedAt, peak: peaks.get(episode.number) })
  }
  if (notified.length === 0) return
  const context = await readContext(deps, tx, row)
  for (const one of notified) {
    const found = evaluated.find(({ at }) => at * 1000 === one.at)
    const point = found === undefined ? readLast(row) : presentPoint(found)
    await send(deps, tx, row, one, { ...context, point, groups: largest.get(one.at) ?? [] })
  }
}

const readLast = (row: AlertRow): AlertPoint | null =>
  row.last_point === null ? null : (JSON.parse(row.last_point) as AlertPoint)

async function send(
  deps: CommitDeps,
  tx: Database,
  row: AlertRow,
  notified: Notified,
  context: NoticeContext,
): Promise<void> {
  const channels = [...context.definition.channel_ids, ...row.action_channel_ids]
  const deliveryIds = await sendNotice(deps, tx, row.tenant_id, channels, toNotice(row, notified, context))
  if (notified.episode === null || notified.state === 'broken' || notified.state === 'mended') return
  const where = and(eq(alertEpisodes.alert_id, row.id), eq(alertEpisodes.number, notified.episode.number))
  const [stored] = await tx.select({ notices: alertEpisodes.notices }).from(alertEpisodes).where(where)
  const sent = SentNotices.parse(JSON.parse(stored?.notices ?? '[]'))
  sent.push({
    at: timeOfEpochMs(notified.at),
    state: notified.state,
    is_repeated: notified.isRepeated,
    delivery_ids: deliveryIds,
  })
  // Of an episode that repeats for months, the first notice and the last ones.
  const kept = sent.length > MAX_NOTICES ? [sent[0], ...sent.slice(-MAX_NOTICES + 1)] : sent
  await tx
    .update(alertEpisodes)
    .set({ notices: JSON.stringify(kept) })
    .where(where)
}

const MAX_NOTICES = 200

/** What notices say about where an alert belongs. */
export async function readContext(
  deps: Pick<Deps, 'config'>,
  db: Database,
  row: AlertRow,
): Promise<Omit<NoticeContext, 'point' | 'groups'>> {
  const definition = readDefinition(row)
  const projectNames = await selectProjectNames(db, row.tenant_id, definition.project_ids)
  const [workspace] = await db
    .select({ name: workspaces.display_name })
    .from(workspaces)
    .where(eq(workspaces.id, row.tenant_id))
  return { definition, projectNames, workspaceName: workspace?.name ?? '', publicUrl: deps.config.publicUrl }
}

async function upsertEpisode(
  tx: Database,
  row: AlertRow,
  episode: OpenEpisode,
  { endedAt, peak }: { readonly endedAt: number | null; readonly peak: Evaluated | undefined },
): Promise<void> {
  const change = {
    state: episode.worst,
    ended_at: endedAt === null ? null : timeOfEpochMs(endedAt),
    ...(episode.peak !== null && {
      peak: episode.peak.value,
      peak_at: timeOfEpochMs(episode.peak.at),
      peak_group: episode.peak.group,
    }),
    ...(peak !== undefined && {
      peak_groups: JSON.stringify(peak.groups.map(({ levels: _, ...group }) => group)),
    }),
  }
  await tx
    .insert(alertEpisodes)
    .values({
      alert_id: row.id,
      number: episode.number,
      tenant_id: row.tenant_id,
      alert_version: row.version,
      started_at: timeOfEpochMs(episode.startedAt),
      ...change,
    })
    .onConflictDoUpdate({ target: [alertEpisodes.alert_id, alertEpisodes.number], set: change })
}
