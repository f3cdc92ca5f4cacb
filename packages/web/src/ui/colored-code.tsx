import { javascript, json, typescript } from '@codemirror/legacy-modes/mode/javascript'
import { powerShell } from '@codemirror/legacy-modes/mode/powershell'
import { properties } from '@codemirror/legacy-modes/mode/properties'
import { python } from '@codemirror/legacy-modes/mode/python'
import { shell } from '@codemirror/legacy-modes/mode/shell'
import type { StreamParser } from '@codemirror/streamparser'
import { use, useMemo } from 'react'
import type { CodeLanguage } from '#lib/code-languages.ts'
import { type TokenKind, tokenizeCode } from '#lib/tokenize-code.ts'

type Parser = StreamParser<unknown>

/** Languages of our snippets come with this chunk, the others each on first use. */
const PARSERS: Readonly<Record<CodeLanguage, Parser | (() => Promise<Parser>)>> = {
  python,
  javascript,
  typescript,
  json,
  shell,
  powershell: powerShell,
  properties,
  sql: () => import('@codemirror/legacy-modes/mode/sql').then((mode) => mode.standardSQL),
  yaml: () => import('@codemirror/legacy-modes/mode/yaml').then((mode) => mode.yaml),
  xml: () => import('@codemirror/legacy-modes/mode/xml').then((mode) => mode.html),
  css: () => import('@codemirror/legacy-modes/mode/css').then((mode) => mode.css),
  go: () => import('@codemirror/legacy-modes/mode/go').then((mode) => mode.go),
  rust: () => import('@codemirror/legacy-modes/mode/rust').then((mode) => mode.rust),
  java: () => import('@codemirror/legacy-modes/mode/clike').then((mode) => mode.java),
  csharp: () => import('@codemirror/legacy-modes/mode/clike').then((mode) => mode.csharp),
  c: () => import('@codemirror/legacy-modes/mode/clike').then((mode) => mode.c),
  cpp: () => import('@codemirror/legacy-modes/mode/clike').then((mode) => mode.cpp),
  ruby: () => import('@codemirror/legacy-modes/mode/ruby').then((mode) => mode.ruby),
  toml: () => import('@codemirror/legacy-modes/mode/toml').then((mode) => mode.toml),
  diff: () => import('@codemirror/legacy-modes/mode/diff').then((mode) => mode.diff),
}

/** One promise per language, because React reads it again with every render. */
const loading = new Map<CodeLanguage, Promise<Parser | undefined>>()

function loadParser(language: CodeLanguage, load: () => Promise<Parser>): Promise<Parser | undefined> {
  const known = loading.get(language)
  if (known) return known
  const promise = load().catch(() => undefined)
  loading.set(language, promise)
  return promise
}

const COLORS: Readonly<Record<TokenKind, string>> = {
  keyword: 'var(--type-llm-ink)',
  constant: 'var(--type-llm-ink)',
  string: 'var(--type-retriever-ink)',
  number: 'var(--type-embedding-ink)',
  comment: 'var(--fg-subtle)',
  name: 'var(--accent)',
  meta: 'var(--type-tool-ink)',
  punctuation: 'var(--fg-muted)',
}

/** Code in the colors of the theme, tokenized by the language modes of CodeMirror. */
export function ColoredCode({ text, language }: { text: string; language: CodeLanguage | undefined }) {
  const entry = language && PARSERS[language]
  const parser =
    typeof entry === 'function' && language ? use(loadParser(language, entry)) : (entry as Parser | undefined)
  const tokens = useMemo(() => (parser ? tokenizeCode(text, parser) : [{ text, kind: undefined }]), [text, parser])
  return tokens.map((token, index) =>
    token.kind === undefined ? (
      token.text
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: a token is its position
      <span key={index} style={{ color: COLORS[token.kind] }}>
        {token.text}
      </span>
    ),
  )
}
