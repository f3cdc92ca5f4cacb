import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentUnit,
  StreamLanguage,
  syntaxHighlighting,
} from '@codemirror/language'
import { forceLinting, linter, lintGutter } from '@codemirror/lint'
import { Compartment, EditorState } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useLayoutEffect, useRef } from 'react'
import type { JsonEditorViewProps } from './json-editor.tsx'

const LINT_AFTER_MS = 150

/** The editor itself: CodeMirror with the colors of the theme. Loaded on first use. */
export function JsonEditorView(props: JsonEditorViewProps) {
  const { value, readOnly = false, check } = props
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const access = useRef(new Compartment()).current
  const language = useRef(new Compartment()).current
  const latest = useRef(props)
  useLayoutEffect(() => {
    latest.current = props
  })

  // Created in the commit that removes the plain field, with its focus and selection, so that no key is lost between.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is created once; the effects below update it
  useLayoutEffect(() => {
    if (place.current === null) return
    const { autoFocus, plainField } = latest.current
    const plain = plainField.current
    const inside = (offset = 0) => Math.min(offset, value.length)
    const created = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: value,
        selection: { anchor: inside(plain?.selectionStart), head: inside(plain?.selectionEnd) },
        extensions: [
          keys(latest),
          EXTENSIONS,
          language.of(latest.current.language === 'javascript' ? [] : json()),
          access.of(toAccess(readOnly)),
          linter(({ state }) => toDiagnostics(latest.current, state.doc.toString()), { delay: LINT_AFTER_MS }),
          EditorView.updateListener.of(({ docChanged, state }) => {
            const text = state.doc.toString()
            if (docChanged && text !== latest.current.value) latest.current.onChange(text)
          }),
          EditorView.contentAttributes.of({
            'aria-label': latest.current.label,
            'aria-describedby': latest.current.describedBy,
          }),
        ],
      }),
    })
    view.current = created
    if (autoFocus || plain) created.focus()
    return () => created.destroy()
  }, [])

  useEffect(() => {
    if (props.language !== 'javascript') return
    void loadJavascript().then(
      (code) => view.current?.dispatch({ effects: language.reconfigure(code) }),
      () => undefined, // the text can be edited without colors
    )
  }, [props.language, language])

  // A text that was not typed here, such as another example's.
  useEffect(() => {
    const editor = view.current
    if (editor === undefined || editor.state.doc.toString() === value) return
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } })
  }, [value])
  useEffect(() => view.current?.dispatch({ effects: access.reconfigure(toAccess(readOnly)) }), [access, readOnly])
  // biome-ignore lint/correctness/useExhaustiveDependencies: other rules give other problems
  useEffect(() => {
    if (view.current !== undefined) forceLinting(view.current)
  }, [check])

  // Receives the focus when Esc leaves the text, so that Tab continues from here.
  return <div ref={place} tabIndex={-1} className="flex min-h-0 flex-1 flex-col outline-none" />
}

async function loadJavascript() {
  const { javascript } = await import('@codemirror/legacy-modes/mode/javascript')
  return StreamLanguage.define(javascript)
}

function toAccess(readOnly: boolean) {
  return [EditorState.readOnly.of(readOnly), EditorView.contentAttributes.of({ 'aria-readonly': String(readOnly) })]
}

function toDiagnostics({ findProblems }: JsonEditorViewProps, text: string) {
  return findProblems(text).map((problem) => ({ ...problem, severity: 'error' as const }))
}

function keys(latest: { readonly current: JsonEditorViewProps }) {
  const save = () => {
    latest.current.onSave?.()
    return latest.current.onSave !== undefined
  }
  const run = () => {
    const { onSave, onRun = onSave } = latest.current
    onRun?.()
    return onRun !== undefined
  }
  const leave = ({ contentDOM, dom }: EditorView) => {
    contentDOM.blur()
    dom.parentElement?.focus({ preventScroll: true })
    return true
  }
  return keymap.of([
    { key: 'Mod-s', run: save, preventDefault: true, stopPropagation: true },
    { key: 'Mod-Enter', run },
    // Once: the same key closes the panel around the editor the second time.
    { key: 'Escape', run: leave, stopPropagation: true },
  ])
}

const COLORS = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--fg)' },
  { tag: tags.keyword, color: 'var(--type-llm-ink)' },
  { tag: tags.comment, color: 'var(--fg-muted)' },
  { tag: tags.string, color: 'var(--type-retriever-ink)' },
  { tag: tags.number, color: 'var(--type-embedding-ink)' },
  { tag: tags.bool, color: 'var(--type-llm-ink)' },
  { tag: [tags.null, tags.punctuation, tags.separator, tags.bracket], color: 'var(--fg-subtle)' },
])

const LOOK = EditorView.theme({
  '&': { minHeight: '0', flex: '1', backgroundColor: 'var(--surface)', color: 'var(--fg)', fontSize: '12px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '18px', overflow: 'auto' },
  '.cm-content': { padding: '4px 0', caretColor: 'var(--fg)' },
  '.cm-cursor': { borderLeftColor: 'var(--fg)' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--fg-subtle)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--hover) 60%, transparent)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'var(--selected)',
  },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--selected)', color: 'inherit' },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--del-mark)', color: 'inherit' },
  '.cm-foldPlaceholder': { backgroundColor: 'var(--sunken)', border: 'none', color: 'var(--fg-muted)' },
  '.cm-tooltip': { backgroundColor: 'var(--surface)', color: 'var(--fg)', border: '1px solid var(--border)' },
  '.cm-diagnostic': { fontFamily: 'var(--font-sans)', padding: '4px 8px' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--err)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--err)',
    textDecorationSkipInk: 'none',
  },
  '.cm-gutter-lint': { width: '14px' },
  '.cm-lint-marker-error': {
    content: 'normal',
    width: '8px',
    height: '8px',
    margin: '5px 3px',
    borderRadius: '4px',
    backgroundColor: 'var(--err)',
  },
})

const EXTENSIONS = [
  lineNumbers(),
  lintGutter(),
  foldGutter(),
  history(),
  drawSelection(),
  bracketMatching(),
  highlightActiveLine(),
  indentUnit.of('  '),
  EditorState.tabSize.of(2),
  EditorView.lineWrapping,
  syntaxHighlighting(COLORS),
  LOOK,
  keymap.of([...defaultKeymap, ...historyKeymap, ...foldKeymap]),
]
