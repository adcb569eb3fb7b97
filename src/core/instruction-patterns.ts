// What texts say that try to steer an agent, in patterns whose time grows with the length of the text and not faster.

/** A space stands for anything between two words, and `…` for some words of the same line. */
const phrase = (text: string) =>
  new RegExp(
    `(?<![\\p{L}\\p{N}])(?:${text.replaceAll(' ', '[^\\p{L}\\p{N}\\n]{1,6}').replaceAll('…', '[^\\n]{0,60}?')})`,
    'u',
  );

const MODEL = '(?:ai|a\\.i|llm|language model|chatbot|claude|gpt|copilot|assistant|coding agent|ai agent|agent)s?';
const BEFORE =
  '(?:previous|prior|above|preceding|earlier|foregoing|original|initial|system|developer|existing|current)';
const ORDERS =
  '(?:instructions?|prompts?|directives?|guidelines?|rules|orders|commands|programming|training|constraints|context)';
const DROP = '(?:ignore|disregard|forget|override|overrule|bypass|neglect|skip|discard|drop)';
const SECRET =
  '(?:env|environment variables?|(?:api |access |auth |ssh |private )?(?:keys?|tokens?)|secrets?|passwords?|credentials?|cookies?|id_rsa|conversation|chat history|source code|file contents|contents of)';

/** Whoever wrote this means an agent, wherever it stands. */
export const BLATANT = [
  phrase(
    `${DROP} (?:(?:all|any|every|of|the|your|my|these|those|everything) ){0,4}${BEFORE} (?:(?:and|or|system|user) ){0,2}${ORDERS}`,
  ),
  phrase(`${DROP} (?:(?:all|any|of|the) ){0,2}your ${ORDERS}`),
  phrase(`${DROP} (?:everything|all|anything) (?:above|before|you (?:were|have been) told|that came before)`),
  /(?:ignore|disregard|forget|override)(?:all|any|the|your|of|my){0,4}[^a-z\n]{0,4}(?:previous|prior|above|earlier|system)[^a-z\n]{0,4}(?:instruction|prompt|directive|guideline)/u,
  phrase(
    `(?:do not|don.?t|never|must not|without) (?:tell|telling|inform|informing|alert|alerting|mention (?:this|it|that) to|reveal (?:this|it|that) to|disclose (?:this|it|that) to|show (?:this|it|that) to) (?:the |your |any )?(?:user|human|operator|person|developer|owner)s?(?! (?:to|when|if|which|how|where|why|what) )`,
  ),
  phrase('(?:do not|don.?t|never|without) (?:let|letting) (?:the |your )?(?:user|human|operator|developer)s? know'),
  phrase(`(?:hide|conceal|keep) (?:this|it|that|these)… from (?:the |your )?(?:user|human|operator|developer)`),
  phrase(
    `without (?:the )?(?:user|human|operator|owner)(?:.s)? (?:knowledge|consent|approval|permission|knowing|noticing)`,
  ),
  phrase(
    `you are (?:now|no longer) (?:a |an |the |in |bound|restricted|limited|acting|playing|free)…(?:${MODEL}|dan|mode|by|unrestricted|jailbroken|admin|root|restrictions?|rules|to)\\b`,
  ),
  phrase(
    `you must (?:now|immediately) (?:ignore|obey|comply|run|execute|call|invoke|use|send|delete|reply|respond|act|follow|read|output|write|tell|stop|become|forget|act)`,
  ),
  phrase(
    `(?:your|the) (?:new|real|true|actual|only) (?:task|instructions?|goal|objective|role|purpose|mission|directive|orders?) (?:is|are) `,
  ),
  phrase(
    `(?:if you are|attention|dear|hey|hello|listen|note to|message (?:to|for)|instructions? (?:to|for)|notice (?:to|for)|important (?:for|to)) (?:an? |any |all |the |every )?${MODEL}\\b(?! (?:in|on|at|of|to be|that|which|team|sdk|api|config|file|support)\\b)`,
  ),
  phrase(
    `(?:reveal|print|show|output|repeat|leak|dump|display) (?:me )?your (?:entire |full |whole |complete |initial |hidden )?(?:system )?(?:prompt|instructions)`,
  ),
  phrase(
    `(?:enter|enable|activate|switch to|in) (?:developer|god|dan|jailbreak|unrestricted|admin|maintenance|debug) mode…you (?:can|will|must|may|are)`,
  ),
  phrase('(?:do anything now|jailbroken|jailbreak mode|no longer bound by)'),
  phrase(
    `(?:send|post|upload|exfiltrate|forward|leak|transmit|email|mail|copy|report|submit|append|pipe)… ${SECRET}…(?:https?:[^\\s]|[\\p{L}\\p{N}._-]{1,60}@[\\p{L}\\p{N}-]{1,60}\\.[a-z])`,
  ),
  phrase('exfiltrat(?:e|ing) (?:the |all |any |your )?[\\p{L}]'),
  phrase(
    '(?:system|admin|root|developer|security) (?:override|instruction|message|notice|directive|prompt)[^\\p{L}\\n]{1,4}(?:you|ignore|do|please|all|the (?:user|assistant|agent)|always|never|from now|new|run|execute|must)\\b',
  ),
  phrase(
    `(?:save|store|add|write|append|record|put) (?:this|the following|it|these instructions)… (?:in|to|into) (?:your|the agent.?s|its) (?:memory|long term memory|permanent memory|instructions|system prompt|claude\\.md|agents\\.md)`,
  ),
  phrase(
    'in (?:all |every |any )?(?:your )?future (?:sessions?|conversations?|chats?|responses|replies)[^\\p{L}\\n]{1,3}(?:you|always|never|make sure|recommend|insert|add|include|tell)\\b',
  ),
  phrase('from now on[^\\p{L}\\n]{1,3}you (?:will|must|are|should|shall|have)\\b'),
];

/** Markers of roles and of tools, as a model's own input has them. On the text with its signs. */
export const MARKERS = [
  /<\s*\/?\s*(?:system|system[-_ ]?(?:prompt|message|reminder|instruction)s?|im_start|im_end|function_calls?|tool_calls?|tool_use|tool_result|claude-mem-[a-z]{1,20}|antml:[a-z_]{1,30})\b[^<>\n]{0,80}>/u,
  /<\s*invoke\s+name\s*=/u,
  /<\|\s*(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id|begin_of_text)\s*\|>/u,
  /\[\/?inst\]|<<\/?sys>>/u,
  /(?:^|\n)[ \t#*>[(-]{0,6}(?:system|developer|assistant|human)[\])*]{0,3}:[*]{0,2}[ \t]{0,4}(?:you|ignore|disregard|do not|don.?t|from now|please|override|always|never|important|new instructions?|your|obey|execute|run|the user|i will|sure|okay|ok,)\b/u,
  /\{\s{0,4}"(?:name|tool|tool_name|function)"\s{0,4}:\s{0,4}"[a-z_.-]{1,40}"\s{0,4},\s{0,4}"(?:arguments|input|parameters|tool_input)"\s{0,4}:/u,
];

/** The same in other languages, in their own scripts or without marks. */
export const OTHER_LANGUAGES = [
  phrase(
    '(?:ignore[rz]?|oublie[rz]?|neglige[rz]?) (?:toutes )?(?:les|vos|tes|ces) (?:instructions|consignes|directives)',
  ),
  phrase('ne (?:le |la |les )?(?:dis|dites|mentionne[rz]?) pas (?:ca |cela )?a l.?utilisateur'),
  phrase('(?:ignora|ignore|ignorad|olvida|olvide) (?:todas )?(?:las|tus|sus) (?:instrucciones|ordenes|indicaciones)'),
  phrase('no (?:se )?(?:lo |le )?(?:digas|diga|menciones|informes|cuentes)… (?:al|a el) usuario'),
  phrase(
    '(?:ignoriere?n?|vergiss|vergessen sie|missachte) (?:sie )?(?:alle )?(?:vorherigen|bisherigen|obigen|vorigen|fruheren|deine|ihre|vorangegangenen) (?:anweisungen|instruktionen|befehle|regeln|vorgaben)',
  ),
  phrase(
    '(?:sag|sage|sagen sie|verrate|erzahle?) (?:es |das |davon )?(?:dem|der) (?:benutzer|nutzer|anwender)(?:in)? (?:nicht|nichts)',
  ),
  phrase('(?:ignore|ignora|esqueca|desconsidere) (?:todas )?(?:as|suas) (?:instrucoes|ordens|regras)'),
  phrase('(?:ignora|ignorate|dimentica) (?:tutte )?(?:le|tue) (?:istruzioni|direttive) '),
  phrase('(?:negeer|vergeet) (?:alle )?(?:vorige|eerdere|voorgaande|bovenstaande) (?:instructies|opdrachten)'),
  phrase('(?:zignoruj|ignoruj|zapomnij) (?:wszystkie )?(?:poprzednie|wczesniejsze|powyzsze) (?:instrukcje|polecenia)'),
  phrase('onceki (?:tum )?talimatlari (?:yok say|unut|gormezden)'),
];

export const OTHER_SCRIPTS = [
  /(?:игнорируй|игнорируйте|проигнорируй|забудь|забудьте)(?:те)?\s{1,4}(?:все\s{1,4})?(?:предыдущие|прежние|прошлые|вышеуказанные|свои|ваши)\s{1,4}(?:инструкции|указания|команды)/u,
  /не\s{1,4}(?:говори|сообщай|рассказывай)(?:те)?\s{1,4}(?:об\s{1,4}этом\s{1,4})?пользователю/u,
  /(?:忽略|无视|無視|忘记|忘掉|不要理会)[^\n]{0,8}(?:之前|以上|先前|前面|此前|所有|上述|上面)[^\n]{0,8}(?:指令|指示|说明|說明|提示|规则|命令|要求)/u,
  /(?:不要|别|請勿|请勿|勿)(?:把[^\n]{0,8})?(?:告诉|告訴|告知|通知|透露给)(?:用户|使用者|用戶)/u,
  /(?:以前|これまで|上記|前述|前|今まで)の[^\n]{0,6}(?:指示|命令|プロンプト|ルール)[^\n]{0,4}(?:無視|忘れ)/u,
  /(?:ユーザー|利用者)に(?:は|も)?(?:言わない|伝えない|知らせない|話さない|教えない)/u,
  /(?:이전|앞의|위의|기존)(?:의)?\s{0,3}(?:모든\s{0,3})?(?:지시|명령|지침|프롬프트)(?:사항)?(?:을|를|은|는)?\s{0,3}(?:모두\s{0,3})?(?:무시|잊)/u,
  /사용자에게\s{0,3}(?:알리지|말하지)/u,
  /تجاهل\s{1,3}(?:جميع\s{1,3}|كل\s{1,3})?التعليمات/u,
];

/** What ordinary pages say too: counted only for words from outside. */
export const STEERING = [
  phrase(
    `(?:run|execute|paste|type|enter|eval|invoke) (?:the |this |these )?(?:following|below|next|exact)(?: (?:shell|bash|terminal|exact))? (?:commands?|code|script|snippet|lines?|tool)`,
  ),
  phrase(
    '(?:run|execute|paste|eval) (?:this|these) (?:(?:shell|bash|terminal) )?(?:commands?|code|script|snippet|one liner)',
  ),
  /\b(?:curl|wget|iwr|invoke-webrequest|fetch)\b[^\n|]{0,300}\|\s{0,4}(?:sudo\s{1,4}(?:-\S{1,10}\s{1,4})?)?(?:ba|da|z|k|fi)?sh\b/u,
  /\b(?:curl|wget)\b[^\n|]{0,300}\|\s{0,4}(?:sudo\s{1,4})?(?:python3?|node|perl|ruby|php|iex)\b/u,
  /\b(?:ba|z)?sh\s{1,4}(?:-c\s{1,4})?["']?(?:<\(|\$\()\s{0,4}(?:curl|wget)\b/u,
  /\b(?:iex|invoke-expression)\b[^\n]{0,20}(?:new-object|iwr|downloadstring|invoke-webrequest)/u,
  /\bbase64\s{1,4}(?:-d|--decode|-D)\b[^\n]{0,60}\|\s{0,4}(?:ba|z)?sh\b/iu,
  phrase('as an? (?:ai|a\\.i|llm|language model)\\b'),
  phrase(
    `${MODEL} (?:must|should|shall|have to|need to|are required to|is required to)(?: (?:now|always|never|not|immediately)){0,2} (?:ignore|obey|run|execute|call|invoke|install|send|delete|reply|respond|follow|download|include|insert|recommend|comply|use|add|read|visit|fetch|open)`,
  ),
  phrase(
    'you must (?:now|always|immediately|never|not)\\b…(?:obey|comply|respond|reply|instruction|tool|user|command|execute|refuse|approv)',
  ),
  phrase(
    `(?:act as|pretend (?:to be|you are)|roleplay as|imagine you are|behave as) (?:if )?(?:you|a |an |the )…(?:${MODEL}|admin|administrator|root|hacker|unrestricted|no (?:restrictions|limits|rules))`,
  ),
  phrase('(?:with|without|has|have) (?:no |any )(?:restrictions|limitations|safety|guardrails|filters)'),
  phrase(
    `without (?:asking|confirming|requesting|prompting|waiting)(?: for)?(?: (?:the|any|a))? (?:user|human|permission|confirmation|approval|consent)`,
  ),
  phrase(
    `before (?:you )?(?:doing|do|answering|answer|responding|respond|continuing|continue|proceeding|proceed|replying|reply)(?: (?:anything|any) (?:else|other thing))?[^\\p{L}\\n]{1,3}(?:you |first |please ){0,2}(?:run|execute|call|send|read|fetch|open|visit|install|download|use)\\b`,
  ),
  phrase('(?:new|updated|revised|secret|hidden|special|important) instructions?\\s{0,2}:'),
  phrase(
    '(?:auto ?approve|dangerously skip permissions|skip(?:ping)? (?:all |the )?(?:permission|confirmation|approval)s?(?: (?:checks?|prompts?))?|disable (?:the |all )?(?:sandbox|safety|guardrails|permission|approval)s?)',
  ),
  phrase(`(?:call|use|invoke|run) (?:the |your )?[\\p{L}\\p{N}_]{1,40} tool (?:to|with|and|now|on|immediately)`),
  phrase(
    `this (?:tool|page|message|document|text) (?:must|should) (?:always |be )?(?:be )?(?:called|used|obeyed|followed|invoked) (?:first|before|by|without)`,
  ),
  phrase(
    `(?:reply|respond|answer) (?:only )?(?:with|by saying) (?:only |exactly |the (?:following|exact|word|text)|nothing)`,
  ),
  phrase(
    `(?:send|post|upload|forward|transmit|email|submit)… (?:results?|output|answers?|contents?|files?|data|logs?|it|them|everything|this) (?:to|at) https?\\b`,
  ),
  /<\s*\/?\s*(?:important|instructions?|secret|hidden|admin|override|prompt|assistant|developer)\b[^<>\n]{0,40}>/u,
  /!\[[^\]\n]{0,80}\]\(https?:\/\/[^)\s]{1,200}[?&][a-z_]{1,20}=(?:\{|\[|<|\$|%7b)/u,
];
