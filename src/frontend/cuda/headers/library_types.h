// What a kernel can use of this header is there from the start.
#pragma once
