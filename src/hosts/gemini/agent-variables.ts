// What Gemini CLI, and Qwen Code, which is made of it, set in the environment of their shells.
export const GEMINI_VARIABLES = ['GEMINI_CLI', 'QWEN_CODE'];
