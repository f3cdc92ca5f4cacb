import { uuid7 } from '@touchstone/contract'
import { inArray } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { type RuleClaimRow, ruleClaims } from '../../../storage/relational/tables/rules.ts'
import { aWorkspace } from '../../../testing/a-workspace.ts'
import { openUsualRelational } from '../../../testing/relational-engines.ts'
import { openRuleBook } from '../../../testing/rule-book.ts'
import { startApp } from '../../../testing/start-app.ts'
import { settleClaims } from './claims.ts'

it('outcomes are stored although one of them has half an emoji and NUL', async () => {
  const relational = await openUsualRelational()
  const app = await startApp({ relational })
  try {
    const acme = await aWorkspace(app, 'acme')
    const book = openRuleBook(() => app, acme)
    const project = await book.aProject()
    const actions = [{ kind: 'feedback', key: 'seen', score: 1 }]
    const rule = await book.aRule({ project_ids: [project.id], actions }, { is_enabled: false })
    const now = new Date().toISOString()
    const claims = [uuid7(), uuid7()].map((id) => ({
      rule_id: rule.id,
      target_id: id,
      target_version: 'x',
      run_id: id,
      trace_id: id,
      tenant_id: acme.tenantId,
      session_id: project.id,
      rule_version: 1,
      start_time: now,
      ready_at: now,
      due_at: now,
      decided_at: now,
      sample_value: 0,
      state: 'running' as const,
      attempts: 1,
    }))
    const stored: RuleClaimRow[] = await relational.db.insert(ruleClaims).values(claims).returning()
    const change = { state: 'failed' as const, due_at: now, outcomes: '[]', is_limited: false }
    const details = ['half \ud83d and \u0000', 'plain']
    await settleClaims(
      relational.db,
      stored.map((claim, at) => [claim, { ...change, detail: details[at]! }]),
    )
    const ids = stored.map(({ target_id }) => target_id)
    const rows = await relational.db.select().from(ruleClaims).where(inArray(ruleClaims.target_id, ids))
    expect(rows.map(({ state, detail }) => [state, detail]).sort()).toEqual([
      ['failed', 'half \ufffd and \ufffd'],
      ['failed', 'plain'],
    ])
  } finally {
    await app.close()
    await relational.close()
  }
})
