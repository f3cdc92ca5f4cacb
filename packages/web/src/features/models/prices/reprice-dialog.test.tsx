// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { BulkJob, ModelPrice, RepriceEstimate } from '@touchstone/sdk'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeApi, json, renderOnPage, renderWithQueries } from '#lib/api/testing/fake-api.tsx'
import { CostJobs, RepriceDialog } from './reprice-dialog.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const MODEL = { provider: null, unpriced_run_count: 0, price: null }
const PRICE: ModelPrice = {
  ...{ id: 'p', name: 'mine', match_pattern: 'm-1', match_path: [], provider: null, start_time: null },
  ...{ prompt_cost: '1', completion_cost: '1', prompt_cost_details: null, completion_cost_details: null },
  ...{ built_in: false, source: null },
}
const ESTIMATE: RepriceEstimate = {
  ...{ run_count: 1200, unpriced_run_count: 1200, changed_run_count: 1200, cost_before: null, cost_after: '3.5' },
  ...{ is_sampled: false, has_more: false, as_of: '2026-01-01T00:00:00.000000Z' },
  models: [
    {
      ...MODEL,
      price: PRICE,
      model: 'm-1',
      run_count: 1200,
      changed_run_count: 1200,
      cost_before: null,
      cost_after: '3.5',
    },
    { ...MODEL, model: 'm-2', run_count: 2, changed_run_count: 0, cost_before: null, cost_after: null },
  ],
}
const JOB: BulkJob = {
  ...{
    id: '0197aaaa-0000-7000-8000-000000000000',
    action: 'reprice',
    status: 'done',
    total: 1200,
    done: 1200,
    failed: 0,
  },
  ...{ error: null, dataset_id: null, queue_id: null, format: null, download_url: null, bytes: null, can_undo: true },
  ...{ costs: { changed: 1200, before: null, after: '3.5' }, created_at: '2026-01-01T00:00:00Z' },
  ...{ created_by_name: null, started_at: null, ended_at: '2026-01-01T00:00:00Z' },
}

describe('pricing stored runs again', () => {
  it('shows the new costs by model, and starts a job on the estimated runs', async () => {
    const calls = fakeApi({
      'POST /model-price-map/reprice': ({ body }) =>
        json((body as { dry_run?: boolean }).dry_run ? { ...ESTIMATE, job: null } : { ...ESTIMATE, job: JOB }),
    })
    const onClose = vi.fn()
    renderWithQueries(<RepriceDialog name="mine" runs={{ price_id: JOB.id }} onClose={onClose} />)
    expect((await screen.findByRole('table')).textContent).toContain('$3.50')
    expect(screen.getByText('no price')).toBeTruthy()
    expect(screen.getByText(/change: unknown →/)).toBeTruthy()
    await userEvent.click(screen.getByRole('button', { name: 'Price 1,200 runs again' }))
    await waitFor(() => expect(onClose).toHaveBeenCalled())
    expect(calls.filter(({ method }) => method === 'POST').map(({ body }) => body)).toEqual([
      { price_id: JOB.id, dry_run: true },
      { price_id: JOB.id, as_of: ESTIMATE.as_of },
    ])
  })

  it('starts nothing while no cost would change, and shows why a job was refused', async () => {
    let changed = 0
    fakeApi({
      'POST /model-price-map/reprice': ({ body }) =>
        (body as { dry_run?: boolean }).dry_run
          ? json({ ...ESTIMATE, changed_run_count: changed, job: null })
          : json({ detail: 'Costs of this workspace are being changed by another job.' }, 409),
    })
    renderWithQueries(<RepriceDialog runs={{}} onClose={vi.fn()} />)
    await screen.findByRole('table')
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Price runs again' }).disabled).toBe(true)
    changed = 5
    await userEvent.click(screen.getByRole('combobox', { name: 'Runs' }))
    await userEvent.click(await screen.findByRole('option', { name: 'Only runs without a cost' }))
    await userEvent.click(await screen.findByRole('button', { name: 'Price 5 runs again' }))
    await screen.findByText(/being changed by another job/)
  })

  it('lists what can be undone', async () => {
    const calls = fakeApi({
      'GET /jobs': () => json({ jobs: [JOB, { ...JOB, id: 'x', can_undo: false }], total: 2 }),
      [`POST /jobs/${JOB.id}/undo`]: () => json({ ...JOB, action: 'restore_costs' }),
    })
    await renderOnPage(<CostJobs />)
    await screen.findByText('1,200 runs changed, unknown → $3.50')
    await userEvent.click(screen.getByRole('button', { name: 'Undo' }))
    await waitFor(() => expect(calls.some(({ path }) => path.endsWith('/undo'))).toBe(true))
  })
})
