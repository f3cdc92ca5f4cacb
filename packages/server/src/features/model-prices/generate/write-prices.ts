import { readFileSync, writeFileSync } from 'node:fs'
import type { ModelPrice } from '@touchstone/contract'
import { readModelNames } from '@touchstone/formats/models'
import { openBuiltInPrices } from '../built-in-prices.ts'
import { PRICE_LISTS } from '../generated-prices.ts'
import { listedPrices, perToken } from '../listed-prices.ts'
import { LITELLM_PRICES } from '../litellm-prices.gen.ts'
import { readLitellm, type TableLine } from './read-litellm.ts'

// write-prices.ts <model_prices.json> <version of LiteLLM> <day, 2026-11-27>
const [json = '', version = '', day = ''] = process.argv.slice(2)
const FILE = new URL('../litellm-prices.gen.ts', import.meta.url)

/** Days from which prices hold that changed between the lists and the first table. */
const FIRST_DAYS: Readonly<Record<string, string>> = { 'mistral-large-latest': '2025-12-02' }
/** The last month that the lists know. */
const LISTS_END = '2511'
const MAX_RATIO = 20

/** A line with the day from which it holds and the listed price beside it. */
interface DatedLine extends TableLine {
  readonly since: string
  readonly listed: string
}

/** Lines by the version of LiteLLM that had them last. */
const before = readSections(LITELLM_PRICES)
const formerLines = before.flatMap((section) => section.lines).map(parseLine)
const listedBook = openBuiltInPrices([])
const NOTHING = new Set<string>()

const table = readLitellm(JSON.parse(readFileSync(json, 'utf8'))).filter(isCredible)
const now = withoutRepeated(table.map(toDated))
const known = new Set(now.map(printLine))
const kept = before.map(({ title, lines }) => ({ title, lines: lines.filter((line) => !known.has(line)) }))
const sections = [{ title: `${version}, read on ${day}`, lines: now.map(printLine) }, ...kept]
writeFileSync(FILE, printFile(sections.filter(({ lines }) => lines.length > 0)))
printDifferences()

/** A price that changed holds from today; the former one stays in the table for earlier runs. */
function toDated(line: TableLine): DatedLine {
  const listed = findListed(line)
  const dated = { ...line, listed: listed?.id.slice(0, 8) ?? '' }
  const former = findFormer(line)
  if (former !== undefined) return { ...dated, since: isSamePrice(former, line) ? former.since : day }
  if (listed === undefined || !isOfList(listed, line) || isLater(line.key)) return { ...dated, since: '' }
  const isListed = listed.prompt_cost === perToken(line.prompt) && listed.completion_cost === perToken(line.completion)
  return { ...dated, since: isListed ? (listed.start_time?.slice(0, 10) ?? '') : (FIRST_DAYS[line.key] ?? day) }
}

function isSamePrice(one: TableLine, other: TableLine): boolean {
  return printPrices(one) === printPrices(other)
}

/** Whether a version of a model is newer than the lists, whose patterns take any version: `mistral-large-2512`. */
function isLater(key: string): boolean {
  const [, month, year, monthOfYear] = /-(?:(2\d(?:0[1-9]|1[0-2]))|20(\d\d)-?(\d\d)-?\d\d)$/.exec(key) ?? []
  return (month ?? `${year ?? ''}${monthOfYear ?? ''}`) > LISTS_END
}

/** Whether a listed price is the former one of a line. Another host may cost something else at the same time. */
function isOfList(listed: ModelPrice, { list }: TableLine): boolean {
  const { url, host } = PRICE_LISTS[list] ?? { url: '' }
  const siteOf = (source: string) => source.split(/[/,]/)[2]
  return host === undefined || siteOf(listed.source ?? '') === siteOf(url)
}

/** A price that is far from the listed one is a mistake in the table: dollars per thousand or per million tokens. */
function isCredible(line: TableLine): boolean {
  const listed = findListed(line)
  const ratio = listed ? Number(perToken(line.prompt)) / Number(listed.prompt_cost) : 1
  const isNear = ratio > 1 / MAX_RATIO && ratio < MAX_RATIO
  if (!isNear)
    console.log(
      `refused  ${line.key} ${line.list}: ${line.prompt} per million, ${ratio.toFixed(3)} of the listed price`,
    )
  return isNear
}

/** The price of the lists, as of now, for the model of a line. */
function findListed({ key, list }: TableLine): ModelPrice | undefined {
  const host = PRICE_LISTS[list]?.host
  const names = readModelNames(key, host)
  const model = { host: names.host, levels: names.levels.slice(0, 1) }
  return listedBook
    .find(model, { provider: host, covered: NOTHING })
    .flat()
    .find(({ start_time }) => (start_time ?? '') <= `${day}T`)
}

/** The newest line of this model before; that of its shorter name where it had none of its own. */
function findFormer({ key, list }: TableLine): DatedLine | undefined {
  const { levels } = readModelNames(key, PRICE_LISTS[list]?.host)
  for (const names of levels) {
    // A shorter name has no version; a name without its region or folder is another price.
    const shorter = names.filter((name) => key.startsWith(name))
    const lines = formerLines.filter((one) => one.list === list && shorter.includes(one.key))
    if (lines.length > 0) return lines.reduce((one, other) => (other.since > one.since ? other : one))
  }
  return undefined
}

/** Leaves out what is found without it: the same price under a shorter name, or at every host. */
function withoutRepeated(lines: readonly DatedLine[]): DatedLine[] {
  const written: DatedLine[] = []
  const shorterFirst = lines.toSorted(
    (one, other) => Number(isOfHost(one)) - Number(isOfHost(other)) || one.key.length - other.key.length,
  )
  const byKey = new Map<string, DatedLine[]>()
  for (const line of shorterFirst) {
    const host = PRICE_LISTS[line.list]?.host
    const { levels } = readModelNames(line.key, host)
    const found = levels
      .map((names) =>
        names
          .flatMap((name) => byKey.get(name) ?? [])
          .filter((one) => [undefined, host].includes(PRICE_LISTS[one.list]?.host)),
      )
      .find((level) => level.length > 0)
    const first = found?.toSorted((one, other) => Number(isOfHost(other)) - Number(isOfHost(one)))[0]
    if (first && printPrices(first) === printPrices(line) && first.since === line.since && first.listed === line.listed)
      continue
    written.push(line)
    byKey.set(line.key, [...(byKey.get(line.key) ?? []), line])
  }
  return written.sort(compareLines)
}

function isOfHost({ list }: TableLine): boolean {
  return PRICE_LISTS[list]?.host !== undefined
}

function compareLines(one: TableLine, other: TableLine): number {
  const [left, right] = [`${one.list}|${one.key}`, `${other.list}|${other.key}`]
  return left === right ? 0 : left < right ? -1 : 1
}

function printPrices({ prompt, completion, promptClasses, completionClasses }: TableLine): string {
  const classes = (all: Readonly<Record<string, string>>) =>
    Object.keys(all)
      .sort()
      .map((name) => `${name}=${all[name]}`)
      .join(',')
  return [prompt, completion, classes(promptClasses), classes(completionClasses)].join('|').replace(/\|+$/, '')
}

function printLine(line: DatedLine): string {
  return [line.key, line.list, line.since, line.listed, printPrices(line)].join('|')
}

function parseLine(text: string): DatedLine {
  const [key = '', list = '', since = '', listed = '', prompt = '', completion = '', input, output] = text.split('|')
  const classes = (part = '') =>
    Object.fromEntries(
      part
        .split(',')
        .filter(Boolean)
        .map((one) => one.split('=') as [string, string]),
    )
  return {
    key,
    list,
    since,
    listed,
    prompt,
    completion,
    promptClasses: classes(input),
    completionClasses: classes(output),
  }
}

function readSections(table: string): { title: string; lines: string[] }[] {
  return table
    .split(/^# /m)
    .slice(1)
    .map((section) => {
      const [title = '', ...lines] = section.split('\n')
      return { title, lines: lines.filter((line) => line !== '') }
    })
}

function printFile(all: readonly { title: string; lines: readonly string[] }[]): string {
  const text = all.map(({ title, lines }) => `# ${title}\n${lines.join('\n')}\n`).join('')
  return `/*!
 * Prices of LiteLLM, https://github.com/BerriAI/litellm. MIT License, Copyright (c) 2023 Berri AI
 *
 * Permission is hereby granted, free of charge, to any person obtaining a copy
 * of this software and associated documentation files (the "Software"), to deal
 * in the Software without restriction, including without limitation the rights
 * to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
 * copies of the Software, and to permit persons to whom the Software is
 * furnished to do so, subject to the following conditions:
 *
 * The above copyright notice and this permission notice shall be included in all
 * copies or substantial portions of the Software.
 *
 * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
 * IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
 * FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
 * AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
 * LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
 * OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
 * SOFTWARE.
 */

/**
 * Written by scripts/write-prices.mjs: name, list, first day, start of the id of the listed price of the same model,
 * then US dollars per million tokens: input, output, classes of input, classes of output. Each section is what a version of
 * LiteLLM had last.
 */
export const LITELLM_PRICES = \`
${text}\`
`
}

/** What is to be reviewed: models that came, went, or cost something else. */
function printDifferences(): void {
  const all = before.flatMap(({ lines }) => lines)
  const names = (lines: readonly string[]) => new Set(lines.map((line) => line.split('|', 2).join(' ')))
  const [old, current] = [names(all), names([...known])]
  const added = [...current].filter((name) => !old.has(name))
  const removed = [...names(before[0]?.lines ?? [])].filter((name) => !current.has(name))
  for (const name of added) console.log(`added    ${name}`)
  for (const name of removed) console.log(`removed  ${name} (its price stays for recorded names)`)
  for (const line of now) {
    const former = findFormer(line)
    if (line.since !== day || (former && isSamePrice(former, line))) continue
    const listed = findListed(line)
    const was = former ? printPrices(former) : `${listed?.prompt_cost} ${listed?.completion_cost} per token, listed`
    console.log(`changed  ${line.key} ${line.list}: ${was} -> ${printPrices(line)}`)
  }
  console.log(`${now.length} prices of LiteLLM ${version}, ${listedPrices.length} listed`)
}
