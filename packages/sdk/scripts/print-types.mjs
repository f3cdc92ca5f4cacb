import { readFileSync } from 'node:fs'
import { isInterfaceDeclaration, isTypeAliasDeclaration } from 'typescript/unstable/ast/is'
import { API, NodeBuilderFlags, SymbolFlags, TypeFlags } from 'typescript/unstable/sync'

const SHORT = NodeBuilderFlags.NoTruncation | NodeBuilderFlags.UseSingleQuotesForStringLiteralType
/** An alias that a reader could not follow without the contract. */
const OF_CONTRACT = /\b(wire\.|Public<|Sparse<|Body<|Query<|Answer<|NonNullable<|Extract<|Omit<)|\[(number|')/
/** Classes of the language, the typed arrays without their buffer, which older versions of TypeScript do not know. */
const BUILT_IN = /^(?:\w+\d+Array|Map<.*>|(?:Readonly)?Set<.*>)/

/**
 * Prints the exported types of a module as plain declarations with their doc comments: types that come from the contract
 * are written out, all others are copied. The result imports nothing but modules beside it.
 *
 * @param configPath  tsconfig that includes the module
 */
export function printTypes(configPath, modulePath) {
  const api = new API()
  try {
    const project = api.updateSnapshot({ openProject: configPath }).getProject(configPath)
    return new Printer(project, modulePath).print()
  } finally {
    api.close()
  }
}

class Printer {
  #checker
  #statements
  #text
  /** Names of the exported types by the id of the type. */
  #names = new Map()
  /** Declared types of the statements. */
  #types = new Map()

  constructor({ checker, program }, modulePath) {
    this.#checker = checker
    this.#text = readFileSync(modulePath, 'utf8')
    const { statements } = program.getSourceFile(modulePath)
    const declarations = [...statements].filter((one) => isTypeAliasDeclaration(one) || isInterfaceDeclaration(one))
    this.#statements = declarations.filter((one) => isInterfaceDeclaration(one) || this.#isExported(one))
    for (const statement of this.#statements.filter((one) => this.#isExported(one))) {
      const type = checker.getDeclaredTypeOfSymbol(checker.getSymbolAtLocation(statement.name))
      this.#types.set(statement, type)
      if (isNameworthy(type) && !this.#names.has(type.id)) this.#names.set(type.id, statement.name.text)
    }
  }

  print() {
    const imports = this.#text.match(/^import type .* from '\.[^']*'$/gm) ?? []
    return `${[...imports, ...this.#statements.map((one) => this.#declaration(one))].join('\n\n')}\n`
  }

  #declaration(statement) {
    const text = this.#textOf(statement)
    const name = statement.name.text
    if (!isTypeAliasDeclaration(statement) || !OF_CONTRACT.test(text)) return this.#comment(statement) + text
    const type = this.#types.get(statement)
    const body = this.#expand(type, name)
    const doc = this.#comment(statement) || this.#docOfContract(text)
    const isInterface = body.startsWith('{') && !type.isUnionType() && !this.#checker.isArrayType(type)
    return `${doc}export ${isInterface ? `interface ${name} ${body}` : `type ${name} = ${body}`}`
  }

  /** A type as text; exported types inside it by their names, except the one that is being declared. */
  #type(type) {
    return this.#names.get(type.id) ?? this.#expand(type)
  }

  #expand(type, own) {
    const checker = this.#checker
    if (type.isUnionType()) return this.#union(type, own)
    if (checker.isTupleType(type)) return checker.typeToString(type, undefined, SHORT)
    if (checker.isArrayType(type)) {
      const [item] = checker.getTypeArguments(type)
      const array = asArray(this.#type(item), item.isUnionType())
      return checker.typeToString(type, undefined, SHORT).startsWith('readonly ') ? `readonly ${array}` : array
    }
    const text = checker.typeToString(type, undefined, SHORT)
    if (!type.isObjectType() && !type.isIntersectionType()) return text
    const builtIn = BUILT_IN.exec(text)
    if (builtIn) return builtIn[0]
    return this.#members(type)
  }

  #union(type, own) {
    const parts = type.getTypes()
    if (parts.every((part) => !part.isObjectType() && !part.isIntersectionType())) {
      const named = this.#namedSubset(parts, own)
      if (named !== undefined) return named
    }
    const isFlag = parts.filter((part) => part.flags & TypeFlags.BooleanLiteral).length === 2
    const texts = parts
      .filter((part) => !(isFlag && part.flags & TypeFlags.BooleanLiteral))
      .map((part) => this.#type(part))
    return [...new Set([...texts, ...(isFlag ? ['boolean'] : [])])].sort(nullsLast).join(' | ')
  }

  /** `Name | null` for a union that is an exported union and null or undefined. */
  #namedSubset(parts, own) {
    const nullish = parts.filter((part) => part.flags & (TypeFlags.Null | TypeFlags.Undefined))
    const ids = new Set(parts.filter((part) => !nullish.includes(part)).map(({ id }) => id))
    for (const [statement, type] of this.#types) {
      const name = statement.name.text
      if (name === own || !type.isUnionType()) continue
      const members = type.getTypes().map(({ id }) => id)
      if (members.length < 2 || members.length !== ids.size || !members.every((id) => ids.has(id))) continue
      if (this.#names.get(type.id) !== name || !isNameworthy(type)) continue
      if (own !== undefined) return undefined
      return [name, ...nullish.map((part) => this.#checker.typeToString(part))].sort(nullsLast).join(' | ')
    }
    return undefined
  }

  #members(type) {
    const checker = this.#checker
    const properties = checker.getPropertiesOfType(type)
    const indexes = checker.getIndexInfosOfType(type)
    if (properties.length === 0 && indexes.length === 1) {
      const [{ keyType, valueType }] = indexes
      const value = this.#type(valueType)
      return value === 'any' ? 'KVMap' : `Record<${checker.typeToString(keyType)}, ${value}>`
    }
    const lines = properties.map((property) => this.#property(property))
    for (const { keyType, valueType } of indexes) {
      lines.push(`[name: ${checker.typeToString(keyType)}]: ${this.#type(valueType)}`)
    }
    return lines.length === 0 ? '{}' : `{\n${indent(lines.join('\n'))}\n}`
  }

  #property(property) {
    const isOptional = Boolean(property.flags & SymbolFlags.Optional)
    const text = this.#type(this.#checker.getTypeOfSymbol(property))
    const name = /^[\w$]+$/.test(property.name) ? property.name : JSON.stringify(property.name)
    const doc = this.#checker.getDocumentationCommentOfSymbol(property)
    return `${toComment(doc, this.#checker.getJsDocTagsOfSymbol(property))}${name}${isOptional ? '?' : ''}: ${text}`
  }

  /** The comment of the contract's type that an alias names. */
  #docOfContract(text) {
    const [, name] = /wire\.(\w+)/.exec(text) ?? []
    const module = name && this.#checker.resolveName('wire', SymbolFlags.Alias, this.#statements[0])
    if (!module) return ''
    const types = this.#checker.getExportsOfModule(this.#checker.getAliasedSymbol(module))
    const found = types.find((one) => one.name === name)
    return found ? toComment(this.#checker.getDocumentationCommentOfSymbol(resolved(this.#checker, found)), []) : ''
  }

  #isExported(statement) {
    return this.#textOf(statement).startsWith('export ')
  }

  #textOf(statement) {
    return this.#text.slice(statement.pos, statement.end).replace(/^(\s|\/\*\*[\s\S]*?\*\/|\/\/[^\n]*\n)*/, '')
  }

  #comment(statement) {
    const [doc] =
      this.#text
        .slice(statement.pos, statement.end)
        .match(/\/\*\*(?:(?!\*\/)[\s\S])*\*\/(?=\s*(\/\/[^\n]*\n)*(?:export|interface)\b)/) ?? []
    return doc ? `${doc}\n` : ''
  }
}

const resolved = (checker, symbol) => (symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol)

/** Objects and unions are worth a name; `string` and `any` are not. */
function isNameworthy(type) {
  if (type.isUnionType()) return type.getTypes().length > 2
  return type.isObjectType() || type.isIntersectionType()
}

function asArray(text, isUnion) {
  const isOne = !isUnion && /^(\{[\s\S]*\}|Record<[^|]*>)$/.test(text)
  return /[ |&]/.test(text) && !isOne ? `(${text})[]` : `${text}[]`
}

const rank = (text) => ['null', 'undefined'].indexOf(text)
const nullsLast = (one, other) => rank(one) - rank(other)

function toComment(doc, tags) {
  const lines = [doc, ...tags.map(({ name, text = '' }) => `@${name} ${text}`.trim())].join('\n').trim().split('\n')
  if (lines[0] === '') return ''
  if (lines.length === 1) return `/** ${lines[0]} */\n`
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`
}

const indent = (text) => text.replace(/^(?=.)/gm, '  ')
