// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeApi, json, renderOnPage } from '#lib/api/testing/fake-api.tsx'
import { addExample } from '../queries.ts'
import { AddToDatasetDialog } from './add-to-dataset-dialog.tsx'

// The SDK uploads examples as multipart requests; what the dialog saves is checked before that.
vi.mock('../queries.ts', { spy: true })

afterEach(() => {
  cleanup()
  localStorage.clear()
  vi.unstubAllGlobals()
  vi.mocked(addExample).mockReset()
})

const payload = { inputs: { question: 'Why?', locale: 'en' }, outputs: { answer: 'Because.' } }

async function open({ isEditable = true, examples = [] as { id: string }[] } = {}) {
  const datasets = examples.length === 0 ? [] : [{ id: 'd1', name: 'golden' }]
  fakeApi({ 'GET /datasets': () => json(datasets), 'GET /examples': () => json(examples) })
  vi.mocked(addExample).mockResolvedValue({ datasetId: 'dataset', exampleId: 'example' })
  const onClose = vi.fn()
  await renderOnPage(
    <AddToDatasetDialog
      run={{ id: 'run', name: 'answer' }}
      payload={isEditable ? payload : undefined}
      bytes={20_000_000}
      onClose={onClose}
    />,
  )
  return {
    onClose,
    async save() {
      await userEvent.clear(datasetField())
      await userEvent.type(datasetField(), 'golden')
      await userEvent.click(submitButton())
    },
    getSaved: () => vi.mocked(addExample).mock.calls[0]?.[1],
  }
}

/** Its label includes the hint about new datasets. */
const datasetField = () => screen.getByLabelText(/^Dataset/)
const submitButton = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Add example' })

describe('adding a run to a dataset', () => {
  it('requires a dataset', async () => {
    await open()
    await userEvent.clear(datasetField())
    expect(submitButton().disabled).toBe(true)
    await userEvent.type(datasetField(), 'golden')
    expect(submitButton().disabled).toBe(false)
  })

  it('goes on to the next field on Enter, and saves the corrected text on Ctrl+Enter', async () => {
    const { getSaved } = await open()
    await userEvent.clear(datasetField())
    await userEvent.type(datasetField(), 'new one{Enter}')
    expect(document.activeElement).toBe(screen.getByLabelText('Split'))
    await userEvent.keyboard('{Enter}')
    expect(document.activeElement).toBe(screen.getByLabelText('Inputs'))
    expect(getSaved()).toBeUndefined()
    await userEvent.clear(screen.getByLabelText('Reference outputs'))
    await userEvent.click(screen.getByLabelText('Reference outputs'))
    await userEvent.paste('{"answer": "Right."}')
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    expect(getSaved()).toMatchObject({ dataset: 'new one', content: { outputs: { answer: 'Right.' } } })
  })

  it('links to an example that was made from the run before', async () => {
    await open({ examples: [{ id: 'e1' }] })
    expect(screen.queryByText(/already in the dataset/)).toBeNull()
    await userEvent.clear(datasetField())
    await userEvent.type(datasetField(), 'golden')
    await screen.findByText(/already in the dataset/)
    const link = screen.getByRole('link', { name: 'Open its example' })
    expect([link.getAttribute('href'), link.getAttribute('target')]).toEqual(['/o//datasets/d1/e/e1', '_blank'])
  })

  it('lets the server copy an unedited run', async () => {
    const { save, getSaved, onClose } = await open()
    await save()
    expect(getSaved()).toEqual({ dataset: 'golden', split: 'base', sourceRunId: 'run', content: undefined })
    await waitFor(() => expect(onClose).toHaveBeenCalled())
  })

  it('saves only the selected keys', async () => {
    const { save, getSaved } = await open()
    await userEvent.click(screen.getByRole('radio', { name: 'Selected keys' }))
    await userEvent.click(screen.getByRole('checkbox', { name: 'locale' }))
    await save()
    expect(getSaved()?.content).toEqual({ inputs: { question: 'Why?' }, outputs: { answer: 'Because.' } })
  })

  it('does not save invalid JSON', async () => {
    const { save, getSaved } = await open()
    await userEvent.type(screen.getByLabelText('Inputs'), 'x')
    await save()
    screen.getByRole('alert')
    expect(submitButton().disabled).toBe(true)
    expect(getSaved()).toBeUndefined()
  })

  it('lets the server copy a run that is too large to edit', async () => {
    const { save, getSaved } = await open({ isEditable: false })
    screen.getByText(/too large to edit here/)
    await save()
    expect(getSaved()).toEqual({ dataset: 'golden', split: 'base', sourceRunId: 'run', content: undefined })
  })

  it('names the dataset that was saved, not what is typed while it is saved', async () => {
    const { save, onClose } = await open()
    let finish: () => void = () => undefined
    vi.mocked(addExample).mockImplementation(
      () => new Promise((resolve) => (finish = () => resolve({ datasetId: 'dataset', exampleId: 'example' }))),
    )
    await save()
    await userEvent.type(datasetField(), ' 2')
    finish()
    await waitFor(() => expect(onClose).toHaveBeenCalled())
    expect(localStorage.getItem('touchstone.last-dataset')).toBe('"golden"')
  })

  it('shows a failure and stays open', async () => {
    const { save, onClose } = await open()
    vi.mocked(addExample).mockRejectedValue(new Error('The dataset is read-only.'))
    await save()
    await screen.findByText('Could not add the example')
    expect(onClose).not.toHaveBeenCalled()
  })
})
