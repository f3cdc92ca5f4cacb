import { RunConditions, THREAD_PREVIEWS, type ThreadPreviews } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { sql, text } from '../../storage/analytics/sql.ts'
import { whereOf } from '../runs/index.ts'

interface Turn {
  readonly human: string
  readonly ai: string
}

/** What was said in a thread, in the short forms that its traces carry, oldest first. */
export async function readThreadPreviews(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  thread: { readonly id: string; readonly projectId: string; readonly select?: readonly string[] | undefined },
): Promise<ThreadPreviews> {
  const turns = await analytics.query<Turn>(sql`
    select inputs_preview as human, if(error = '', outputs_preview, error) as ai
    from runs final
    where ${whereOf(tenantId, RunConditions.parse({ session: [thread.projectId], is_root: true }))}
      and thread_id = ${text(thread.id)}
    order by start_time, id`)
  const chosen = THREAD_PREVIEWS.filter((name) => !thread.select?.length || thread.select.includes(name))
  return { thread_id: thread.id, previews: Object.fromEntries(chosen.map((name) => [name, PREVIEWS[name](turns)])) }
}

const PREVIEWS: Readonly<Record<(typeof THREAD_PREVIEWS)[number], (turns: readonly Turn[]) => string>> = {
  all_messages: (turns) => turns.flatMap(({ human, ai }) => [...said('human', human), ...said('ai', ai)]).join('\n\n'),
  human_ai_pairs: (turns) =>
    turns.map(({ human, ai }) => [...said('human', human), ...said('ai', ai)].join('\n')).join('\n\n'),
  first_human_last_ai: (turns) =>
    [...said('human', turns[0]?.human ?? ''), ...said('ai', turns.at(-1)?.ai ?? '')].join('\n\n'),
}

function said(who: 'human' | 'ai', what: string): string[] {
  return what === '' ? [] : [`${who}: ${what}`]
}
