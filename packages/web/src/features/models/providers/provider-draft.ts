import { DEFAULT_KEY_HEADERS, type KeyHeader, MODEL_PROVIDER_PRESETS } from '@touchstone/contract/model-presets'
import type { ModelProvider, ModelProviderKind, ModelProviderTest, ModelProviderWrite } from '@touchstone/sdk'
import { printHeaderLines, readHeaderLines } from '#lib/header-lines.ts'

/** The fields of the form, as typed. */
export interface ProviderDraft {
  /** Id of a preset. */
  preset: string
  name: string
  kind: ModelProviderKind
  baseUrl: string
  key: string
  keyHeader: KeyHeader
  /** One header per line. */
  headers: string
  /** What runs and prices call it. */
  provider: string
  /** One name per line. */
  models: string
}

export function newProviderDraft(presetId = 'openai'): ProviderDraft {
  const preset = MODEL_PROVIDER_PRESETS.find(({ id }) => id === presetId)
  return {
    preset: presetId,
    name: preset?.id === 'custom' ? '' : (preset?.name ?? ''),
    kind: preset?.kind ?? 'openai-chat',
    baseUrl: preset?.baseUrl ?? 'https://',
    key: '',
    keyHeader: preset?.keyHeader ?? 'authorization',
    headers: '',
    provider: preset?.provider ?? '',
    models: '',
  }
}

export function toProviderDraft(provider: ModelProvider): ProviderDraft {
  return {
    preset: 'custom',
    name: provider.name,
    kind: provider.kind,
    baseUrl: provider.base_url,
    key: '',
    keyHeader: provider.key_header,
    headers: printHeaderLines(provider.headers),
    provider: provider.provider ?? '',
    models: provider.models.join('\n'),
  }
}

/** Another preset, without losing what the user typed. */
export function withPreset(draft: ProviderDraft, presetId: string): ProviderDraft {
  const before = newProviderDraft(draft.preset)
  const next = newProviderDraft(presetId)
  return {
    ...next,
    name: draft.name === before.name || draft.name === '' ? next.name : draft.name,
    key: draft.key,
    headers: draft.headers,
    models: draft.models,
  }
}

/** Another kind, with its header if the old one was the usual one. */
export function withKind(draft: ProviderDraft, kind: ModelProviderKind): ProviderDraft {
  const isUsual = draft.keyHeader === DEFAULT_KEY_HEADERS[draft.kind]
  return { ...draft, kind, keyHeader: isUsual ? DEFAULT_KEY_HEADERS[kind] : draft.keyHeader }
}

export type DraftErrors = Partial<Record<keyof ProviderDraft, string>>

export function validateProviderDraft(draft: ProviderDraft): DraftErrors {
  const headers = readHeaderLines(draft.headers)
  const url = draft.baseUrl.trim()
  return {
    ...(draft.name.trim() === '' && { name: 'Enter a name.' }),
    ...(!/^https?:\/\/[^/\s{}]+/.test(url) && {
      baseUrl: /[{}]/.test(url)
        ? 'Replace the part in braces.'
        : 'Enter an address that begins with https:// or http://.',
    }),
    ...('problem' in headers && { headers: headers.problem }),
    ...(/[^\x21-\x7e]/.test(draft.key.trim()) && { key: 'A key has no spaces or special characters.' }),
  }
}

/** Whether saving removes the stored key: it was entered for another target, and no other key is given. */
export function losesKey(stored: ModelProvider | undefined, draft: ProviderDraft): boolean {
  if (stored === undefined || !stored.key_set || draft.key.trim() !== '') return false
  const before = toProviderDraft(stored)
  const isMoved = draft.kind !== before.kind || draft.baseUrl.trim().replace(/\/+$/, '') !== before.baseUrl
  return isMoved || draft.headers.trim() !== before.headers
}

export function toProvider(draft: ProviderDraft): ModelProviderWrite {
  const key = draft.key.trim()
  return {
    name: draft.name.trim(),
    ...toTarget(draft),
    // An empty field keeps the stored key.
    ...(key !== '' && { key }),
    provider: draft.provider.trim() || null,
    models: toNames(draft.models),
  }
}

export function toTest(draft: ProviderDraft, id: string | undefined, model: string): ModelProviderTest {
  const key = draft.key.trim()
  return {
    provider: { ...toTarget(draft), ...(key !== '' && { key }), ...(id !== undefined && { id }) },
    ...(model.trim() !== '' && { model: model.trim() }),
  }
}

function toTarget({ kind, baseUrl, keyHeader, headers }: ProviderDraft) {
  const read = readHeaderLines(headers)
  return {
    kind,
    base_url: baseUrl.trim(),
    key_header: keyHeader,
    headers: 'values' in read ? { ...read.values } : {},
  }
}

export function toNames(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
