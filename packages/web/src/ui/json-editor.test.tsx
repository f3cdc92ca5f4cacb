// @vitest-environment happy-dom
import { EditorView } from '@codemirror/view'
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { locateValue } from '@touchstone/formats/locate-json'
import { useState } from 'react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { JsonEditor, type JsonEditorProps } from './json-editor.tsx'

afterEach(cleanup)

/** The field, once the code of the editor is loaded. */
async function open(initial: string, props: Partial<JsonEditorProps> = {}) {
  function Form() {
    const [text, setText] = useState(initial)
    return <JsonEditor label="Inputs" value={text} onChange={setText} {...props} />
  }
  const { container } = render(<Form />)
  await waitFor(() => expect(container.querySelector('.cm-content')).not.toBeNull())
  return screen.getByRole('textbox', { name: 'Inputs' })
}

const getProblems = () => screen.queryAllByRole('listitem').map(({ textContent }) => textContent)

describe('editing JSON', () => {
  it('keeps focus and selection of the plain field when the code of the editor arrives', async () => {
    // The tests of other files may have loaded the code of the editor already.
    vi.resetModules()
    const { JsonEditor: Unloaded } = await import('./json-editor.tsx')
    const { container } = render(<Unloaded label="Inputs" value={'{\n  "a": 1\n}'} onChange={() => undefined} />)
    const plain = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Inputs' })
    expect(plain.tagName).toBe('TEXTAREA')
    plain.focus()
    plain.select()
    await waitFor(() => expect(container.querySelector('.cm-content')).not.toBeNull())
    const view = EditorView.findFromDOM(container)
    expect(view?.state.selection.main).toMatchObject({ from: 0, to: view?.state.doc.length })
    expect(container.contains(document.activeElement)).toBe(true)
  })

  it('shows the text under its name, without problems', async () => {
    const field = await open('{\n  "a": 1\n}')
    expect(field.textContent).toContain('"a": 1')
    expect(getProblems()).toEqual([])
  })

  it('names a mistake with its line', async () => {
    await open('{\n  "a": 1,\n}')
    expect(getProblems()).toEqual(['Line 3: A comma is not allowed before }'])
  })

  it('names what the form finds, at the value', async () => {
    const check = (text: string) => [{ ...locateValue(text, ['a']), message: 'must be a string' }]
    await open('{\n  "a": 1\n}', { check })
    expect(getProblems()).toEqual(['Line 2: must be a string'])
  })

  it('accepts no text only where it may be empty', async () => {
    await open('', { mayBeEmpty: true })
    expect(getProblems()).toEqual([])
    cleanup()
    await open('')
    expect(getProblems()).toEqual(['Line 1: The text ends too early: expected a value'])
  })

  it('runs with Ctrl+Enter only what runs', async () => {
    const [onSave, onRun] = [vi.fn(), vi.fn()]
    const field = await open('{}', { onSave, onRun })
    fireEvent.keyDown(field, { key: 's', code: 'KeyS', keyCode: 83, ctrlKey: true })
    expect([onSave.mock.calls.length, onRun.mock.calls.length]).toEqual([1, 0])
    fireEvent.keyDown(field, { key: 'Enter', code: 'Enter', keyCode: 13, ctrlKey: true })
    expect([onSave.mock.calls.length, onRun.mock.calls.length]).toEqual([1, 1])
  })

  it('saves with Ctrl+S, and leaves the field with Esc', async () => {
    const onSave = vi.fn()
    const field = await open('{}', { onSave })
    fireEvent.keyDown(field, { key: 's', code: 'KeyS', keyCode: 83, ctrlKey: true })
    expect(onSave).toHaveBeenCalledOnce()
    fireEvent.keyDown(field, { key: 'Enter', code: 'Enter', keyCode: 13, ctrlKey: true })
    expect(onSave).toHaveBeenCalledTimes(2)
    field.focus()
    fireEvent.keyDown(field, { key: 'Escape', code: 'Escape', keyCode: 27 })
    expect(document.activeElement).not.toBe(field)
  })
})
