// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { useState } from 'react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeApi, json, renderWithQueries } from '#lib/api/testing/fake-api.tsx'
import { findDatasetId } from './queries.ts'
import { type SettingsDraft, toSettingsDraft } from './queue-settings.ts'
import { QueueFields } from './queue-settings-fields.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const DATASET = '00000000-0000-4000-8000-000000000001'

/** The fields of a queue, with the draft so far. */
function open(defaultDataset: string | null) {
  let latest = toSettingsDraft({ id: 'q', name: 'Triage', default_dataset: defaultDataset } as never)
  function Form() {
    const [draft, setDraft] = useState(latest)
    const change = (more: Partial<SettingsDraft>) => {
      latest = { ...latest, ...more }
      setDraft(latest)
    }
    return <QueueFields draft={draft} problems={{}} onChange={change} />
  }
  renderWithQueries(<Form />)
  return { field: screen.getByLabelText('Default dataset'), getDraft: () => latest }
}

describe('the default dataset of a queue', () => {
  it('shows the name of the stored one, and can be emptied', async () => {
    fakeApi({
      [`GET /datasets/${DATASET}`]: () => json({ id: DATASET, name: 'golden' }),
      'GET /datasets': () => json([]),
    })
    const { field, getDraft } = open(DATASET)
    await waitFor(() => expect(field).toHaveProperty('value', 'golden'))
    await userEvent.clear(field)
    expect(getDraft().dataset).toEqual({ name: '' })
    expect(await findDatasetId(getDraft().dataset)).toBeUndefined()
  })

  it('suggests what the server finds, and finds the id of the name', async () => {
    fakeApi({ 'GET /datasets': () => json([{ id: DATASET, name: 'zebra' }]) })
    const { field, getDraft } = open(null)
    await userEvent.type(field, 'zeb')
    await userEvent.click(await screen.findByRole('option', { name: 'zebra' }))
    expect(field).toHaveProperty('value', 'zebra')
    expect(screen.queryByRole('alert')).toBeNull()
    expect(await findDatasetId(getDraft().dataset)).toBe(DATASET)
  })

  it('shows that no dataset has the name', async () => {
    fakeApi({ 'GET /datasets': () => json([]) })
    const { field, getDraft } = open(null)
    await userEvent.type(field, 'gold')
    await screen.findByText('No dataset has this name.')
    await expect(findDatasetId(getDraft().dataset)).rejects.toThrow('No dataset has the name gold.')
  })
})
